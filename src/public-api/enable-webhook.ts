import { Type } from 'typebox'
import { HELD_CHOICES, type HeldChoice } from '../domain/deliveries/hold-store.ts'
import { enableWebhook as enable } from '../domain/deliveries/switch-webhook.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook } from '../domain/webhooks/webhook-store.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { type ApiOperation, optionalBody, viewerOf } from './api-call.ts'
import { etagOfWebhook, noWebhook, requireVersion, webhookJson } from './webhook-answer.ts'
import { IDEMPOTENCY_KEY, IF_MATCH, idFor, WEBHOOK_ID, webhookAnswer } from './webhook-docs.ts'

const EnableWebhook = Type.Object(
  {
    held: Type.Optional(
      Type.Enum([...HELD_CHOICES], {
        type: 'string',
        default: 'send',
        description:
          'What becomes of the deliveries that were held meanwhile: `send` sends them at the webhook’s rate; `keep` leaves them held until each is resent, or all are replayed.',
      }),
    ),
  },
  { additionalProperties: false },
)

const read = fieldReader<{ held?: HeldChoice }>(EnableWebhook)

/** POST …/:webhookId/enable (decision D7). Saying it twice changes nothing, the version included. */
export function enableWebhook(kind: WebhookKind): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/enable`,
    id: idFor(kind, 'enable'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Enable a ${kind} webhook`,
    description:
      'What happens is sent to it again, and earlier failures are forgotten. Enabling one that is enabled changes nothing.',
    parameters: WEBHOOK_ID,
    headers: { ...IDEMPOTENCY_KEY, ...IF_MATCH },
    body: { schema: EnableWebhook, example: { held: 'send' }, optional: true },
    answers: { 200: webhookAnswer(kind, 'The webhook as it is now.', ['Idempotent-Replayed']) },
    problems: ['not_found', 'changed_meanwhile', 'version_changed'],
    run: async (call) => {
      const { sound, faults } = read(optionalBody(call))
      if (faults.length > 0) throw wrongFields(faults)
      const webhook = await call.atomically(async (tx) => {
        const held = await holdWebhook(tx, call.cipher, viewerOf(call.caller), kind, call.parameters['webhookId'] ?? '')
        if (held === null) throw noWebhook()
        requireVersion(call.headers['if-match'], held)
        return enable(tx, held, sound.held ?? 'send')
      })
      call.afterCommit(async () => call.bell.ring())
      return { status: 200, body: { data: webhookJson(webhook) }, headers: { etag: etagOfWebhook(webhook) } }
    },
  }
}
