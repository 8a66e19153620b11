import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook, setDisabled } from '../domain/webhooks/webhook-store.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { etagOfWebhook, noWebhook, requireVersion, webhookJson } from './webhook-answer.ts'
import { IDEMPOTENCY_KEY, IF_MATCH, idFor, WEBHOOK_ID, webhookAnswer } from './webhook-docs.ts'

/** POST …/:webhookId/enable. */
export function enableWebhook(kind: WebhookKind): ApiOperation {
  return switching(kind, 'enable', 'Enable', 'What happens is sent to it again.')
}

/** POST …/:webhookId/disable. */
export function disableWebhook(kind: WebhookKind): ApiOperation {
  return switching(kind, 'disable', 'Disable', 'Nothing is sent to it until it is enabled.')
}

/** Saying it twice changes nothing, the version included. */
function switching(kind: WebhookKind, verb: 'enable' | 'disable', title: string, description: string): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/${verb}`,
    id: idFor(kind, verb),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `${title} a ${kind} webhook`,
    description,
    parameters: WEBHOOK_ID,
    headers: { ...IDEMPOTENCY_KEY, ...IF_MATCH },
    answers: { 200: webhookAnswer(kind, 'The webhook as it is now.', ['Idempotent-Replayed']) },
    problems: ['not_found', 'version_changed'],
    run: async ({ atomically, cipher, caller, parameters, headers }) => {
      const webhook = await atomically(async (tx) => {
        const held = await holdWebhook(tx, cipher, viewerOf(caller), kind, parameters['webhookId'] ?? '')
        if (held === null) throw noWebhook()
        requireVersion(headers['if-match'], held)
        const isOff = held.disabledBecause !== null
        if (isOff === (verb === 'disable')) return held
        return setDisabled(tx, held, verb === 'disable' ? 'by_request' : null)
      })
      return { status: 200, body: { data: webhookJson(webhook) }, headers: { etag: etagOfWebhook(webhook) } }
    },
  }
}
