import { untilUnderWay } from '../domain/deliveries/hold-store.ts'
import { disableWebhook as disable } from '../domain/deliveries/switch-webhook.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook } from '../domain/webhooks/webhook-store.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { etagOfWebhook, noWebhook, requireVersion, webhookJson } from './webhook-answer.ts'
import { IDEMPOTENCY_KEY, IF_MATCH, idFor, WEBHOOK_ID, webhookAnswer } from './webhook-docs.ts'

/** POST …/:webhookId/disable (decision D8). Saying it twice changes nothing, the version included. */
export function disableWebhook(kind: WebhookKind): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/disable`,
    id: idFor(kind, 'disable'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Disable a ${kind} webhook`,
    description:
      'Nothing is sent to it until it is enabled; no request begins after the answer. What happens meanwhile is held for 30 days.',
    parameters: WEBHOOK_ID,
    headers: { ...IDEMPOTENCY_KEY, ...IF_MATCH },
    answers: { 200: webhookAnswer(kind, 'The webhook as it is now.', ['Idempotent-Replayed']) },
    problems: ['not_found', 'changed_meanwhile', 'version_changed'],
    run: async ({ atomically, afterCommit, cipher, caller, parameters, headers }) => {
      const webhook = await atomically(async (tx) => {
        const held = await holdWebhook(tx, cipher, viewerOf(caller), kind, parameters['webhookId'] ?? '')
        if (held === null) throw noWebhook()
        requireVersion(headers['if-match'], held)
        return disable(tx, held)
      })
      afterCommit((db) => untilUnderWay(db, webhook.id))
      return { status: 200, body: { data: webhookJson(webhook) }, headers: { etag: etagOfWebhook(webhook) } }
    },
  }
}
