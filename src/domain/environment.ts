/** Production and sandbox have their own facilities, webhooks, events and deliveries, and never see each other's (decision B1). */
export const ENVIRONMENTS = ['production', 'sandbox'] as const

export type Environment = (typeof ENVIRONMENTS)[number]
