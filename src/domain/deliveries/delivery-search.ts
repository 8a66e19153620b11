import type { Environment } from '../environment.ts'
import type { Delivery, DeliveryState } from './delivery.ts'

/** What support looks for among the deliveries of everybody; null is no matter. */
export type DeliverySearch = {
  environment: Environment | null
  state: DeliveryState | null
  /** When it was made: from this moment on, and before that one. */
  from: Date | null
  to: Date | null
}

/** Where it is looked for: everywhere, or among the deliveries of these webhooks. */
export type SearchedPlace = 'everywhere' | readonly string[]

export type FoundDelivery = Pick<Delivery, 'id' | 'eventId' | 'eventType' | 'state' | 'reason' | 'attempts'> & {
  environment: Environment
  createdAt: Date
  webhookId: string
  /** Null when the webhook is gone. */
  webhook: { url: string; applicationId: string; applicationName: string } | null
}

/** Newest first. What came before `older` was not looked at or not shown; null when that was all. */
export type FoundPage = { found: FoundDelivery[]; older: string | null }
