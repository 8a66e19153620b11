import type { Attempt } from '../domain/deliveries/attempt-list-store.ts'
import type { Delivery } from '../domain/deliveries/delivery.ts'
import type { Webhook, WebhookKind } from '../domain/webhooks/webhook.ts'
import { findWebhook } from '../domain/webhooks/webhook-store.ts'
import { Problem } from '../http/problem.ts'
import { type ApiCall, viewerOf } from './api-call.ts'
import { noWebhook } from './webhook-answer.ts'

export function deliveryJson(delivery: Delivery): Record<string, unknown> {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    type: delivery.eventType,
    ...delivery.subject,
    state: delivery.state,
    reason: delivery.reason,
    attempts: delivery.attempts,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
  }
}

/** Receivers answer with any bytes; what is not UTF-8 is shown by replacement characters. */
export function attemptJson(attempt: Attempt): Record<string, unknown> {
  return {
    number: attempt.number,
    startedAt: attempt.startedAt.toISOString(),
    url: attempt.url,
    status: attempt.status,
    error: attempt.error,
    message: attempt.message,
    durationMs: attempt.durationMs,
    responseHead: attempt.responseHead,
    responseBody: attempt.responseBody?.toString('utf8') ?? null,
    manual: attempt.manual,
  }
}

/** Who may see a webhook may see what was sent to it; for everyone else there is neither. */
export async function webhookOf({ db, cipher, caller, parameters }: ApiCall, kind: WebhookKind): Promise<Webhook> {
  const webhook = await findWebhook(db, cipher, viewerOf(caller), kind, parameters['webhookId'] ?? '')
  if (webhook === null) throw noWebhook()
  return webhook
}

export function noDelivery(): Problem {
  return new Problem(404, 'not_found', 'Not found', 'This webhook has no such delivery, or it is older than 30 days.')
}

export function webhookDisabled(): Problem {
  return new Problem(
    409,
    'webhook_disabled',
    'Webhook disabled',
    'Nothing is sent to this webhook while it is disabled. Enable it first.',
  )
}
