import { versionOf, type Webhook } from '../domain/webhooks/webhook.ts'
import { Problem } from '../http/problem.ts'

/** A webhook as the contract shows it, and what decision C11 adds. */
export function webhookJson(webhook: Webhook): Record<string, unknown> {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    clientId: webhook.applicationId,
    ...(webhook.kind === 'facility' && { facilities: webhook.facilities }),
    secrets: webhook.secrets,
    status: webhook.disabledBecause === null ? 'enabled' : 'disabled',
    disabledReason: webhook.disabledBecause,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  }
}

export function etagOfWebhook(webhook: Webhook): string {
  return `"${versionOf(webhook)}"`
}

/** RFC 9110 13.1.1: a change that is meant for one version is not made to another. */
export function requireVersion(ifMatch: string | undefined, webhook: Webhook): void {
  const wanted = ifMatch?.split(',').map((each) => each.trim())
  if (wanted === undefined || wanted.includes('*') || wanted.includes(etagOfWebhook(webhook))) return
  throw new Problem(
    412,
    'version_changed',
    'The webhook has changed',
    `If-Match names another version than the present one, ${etagOfWebhook(webhook)}. Read the webhook again and repeat.`,
    { headers: { etag: etagOfWebhook(webhook) } },
  )
}

/** The same for a webhook that never was, of another kind, of somebody else and of the other environment (decision C4). */
export function noWebhook(): Problem {
  return new Problem(404, 'not_found', 'Not found', 'There is no such webhook, or it is not yours to see.')
}
