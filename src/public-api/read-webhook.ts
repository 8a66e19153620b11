import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { findWebhook } from '../domain/webhooks/webhook-store.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { etagOfWebhook, noWebhook, webhookJson } from './webhook-answer.ts'
import { idFor, WEBHOOK_ID, webhookAnswer } from './webhook-docs.ts'

/** GET /webhooks/…/:webhookId. */
export function readWebhook(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}/:webhookId`,
    id: idFor(kind, 'get'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Read a ${kind} webhook`,
    description: 'Shows one webhook, with its secrets.',
    parameters: WEBHOOK_ID,
    answers: { 200: webhookAnswer(kind, 'The webhook.') },
    problems: ['not_found'],
    run: async ({ db, cipher, caller, parameters }) => {
      const webhook = await findWebhook(db, cipher, viewerOf(caller), kind, parameters['webhookId'] ?? '')
      if (webhook === null) throw noWebhook()
      return { status: 200, body: { data: webhookJson(webhook) }, headers: { etag: etagOfWebhook(webhook) } }
    },
  }
}
