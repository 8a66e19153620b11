import type { Environment } from '../environment.ts'

/** About shifts at facilities, or about a person's facility requests. */
export type WebhookKind = 'facility' | 'user'

/** Whose a webhook is: an application's own, or one person's at that application (decision C4). */
export type WebhookOwner = { applicationId: string; environment: Environment; userId: string | null }

/** Why nothing is sent to a webhook at present. */
export type DisabledReason = 'by_request' | 'gone' | 'failing'

export type Webhook = WebhookOwner & {
  id: string
  kind: WebhookKind
  url: string
  events: string[]
  /** Always empty for a user webhook. */
  facilities: string[]
  /** One or two, in the order in which they sign. */
  secrets: string[]
  disabledBecause: DisabledReason | null
  /** The name of the listener that fetches what it is sent (decision record 82); null for one that is called. */
  listener: string | null
  version: number
  createdAt: Date
  updatedAt: Date
}

/** A facility that goes leaves a webhook without changing its version; within one version the list only gets shorter. */
export function versionOf({ version, facilities }: Pick<Webhook, 'version' | 'facilities'>): string {
  return `${version}.${facilities.length}`
}

/** What a PATCH changes; what is absent stays. */
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'events' | 'facilities' | 'secrets'>>

export const MAX_SECRETS = 2
/** Given by an integrator; detection may find more (decision C12). */
export const MAX_FACILITIES_GIVEN = 1_000
