import { untilUnderWay } from '../domain/deliveries/hold-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook, deleteWebhook as remove } from '../domain/webhooks/webhook-store.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { noWebhook, requireVersion } from './webhook-answer.ts'
import { IF_MATCH, idFor, WEBHOOK_ID } from './webhook-docs.ts'

/** DELETE /webhooks/…/:webhookId. */
export function deleteWebhook(kind: WebhookKind): ApiOperation {
  return {
    method: 'DELETE',
    path: `/webhooks/${kind}/:webhookId`,
    id: idFor(kind, 'delete'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Delete a ${kind} webhook`,
    description: 'Nothing is sent to it any more; no request begins after the answer. What still waited is cancelled.',
    parameters: WEBHOOK_ID,
    headers: IF_MATCH,
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not_found', 'changed_meanwhile', 'version_changed'],
    run: async ({ atomically, afterCommit, cipher, caller, parameters, headers }) => {
      const id = await atomically(async (tx) => {
        const held = await holdWebhook(tx, cipher, viewerOf(caller), kind, parameters['webhookId'] ?? '')
        if (held === null) throw noWebhook()
        requireVersion(headers['if-match'], held)
        // Its schedule goes along, so a claim under way is waited for.
        await remove(tx, held.id)
        return held.id
      })
      afterCommit((db) => untilUnderWay(db, id))
      return { status: 204 }
    },
  }
}
