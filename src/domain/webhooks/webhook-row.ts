import type { Environment } from '../environment.ts'
import type { DisabledReason, Webhook, WebhookKind } from './webhook.ts'

/** A webhook's row, without what only its owner is shown. */
export type WebhookRow = {
  id: string
  kind: WebhookKind
  environment: Environment
  application_id: string
  user_id: string | null
  url: string
  events: string[]
  disabled_because: DisabledReason | null
  listener: string | null
  created_at: Date
  updated_at: Date
}

export type PlainWebhook = Omit<Webhook, 'facilities' | 'secrets' | 'version'>

export function plainWebhookFrom(row: WebhookRow): PlainWebhook {
  return {
    id: row.id,
    kind: row.kind,
    environment: row.environment,
    applicationId: row.application_id,
    userId: row.user_id,
    url: row.url,
    events: row.events,
    disabledBecause: row.disabled_because,
    listener: row.listener,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
