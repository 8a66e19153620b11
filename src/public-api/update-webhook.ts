import type { WebhookChange, WebhookKind } from '../domain/webhooks/webhook.ts'
import { rotated } from '../domain/webhooks/webhook-secret.ts'
import { changeWebhook, holdWebhook } from '../domain/webhooks/webhook-store.ts'
import { requiredBody } from '../http/operation.ts'
import type { FieldProblem } from '../http/problem.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { etagOfWebhook, noWebhook, requireVersion, webhookJson } from './webhook-answer.ts'
import { IF_MATCH, idFor, WEBHOOK_ID, webhookAnswer } from './webhook-docs.ts'
import { checkFacilities, checkOtherFacilities, checkSecrets, checkUrl } from './webhook-fields.ts'
import { UpdateFacilityWebhook, UpdateUserWebhook, type WebhookFields } from './webhook-schemas.ts'

const LISTENS: FieldProblem = {
  pointer: '/url',
  code: 'listener',
  message: 'cannot be changed: a listener fetches what this webhook is sent. Create another webhook for a URL.',
}

/** PATCH /webhooks/facility/:webhookId, and the same for user webhooks. What is absent stays (decision C6). */
export function updateWebhook(kind: WebhookKind): ApiOperation {
  const schema = kind === 'facility' ? UpdateFacilityWebhook : UpdateUserWebhook
  const read = fieldReader<WebhookFields>(schema)
  return {
    method: 'PATCH',
    path: `/webhooks/${kind}/:webhookId`,
    id: idFor(kind, 'update'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Update a ${kind} webhook`,
    description:
      'Changes the fields that are sent and leaves the others. `secrets: []` generates a secret and keeps the first of the present ones behind it, so that rotation has no gap.',
    parameters: WEBHOOK_ID,
    headers: IF_MATCH,
    body: { schema, example: { events: ['all'] } },
    answers: { 200: webhookAnswer(kind, 'The webhook as it is now.') },
    problems: ['not_found', 'version_changed', ...(kind === 'facility' ? ['changed_meanwhile'] : [])],
    run: async (call) => {
      const body = requiredBody(call)
      const fields = read(body)
      const { sound, faults } = fields
      const url = checkUrl(fields, call.targets)
      const secrets = checkSecrets(fields, body)
      const changed = await call.atomically(async (tx) => {
        const held = await holdWebhook(tx, call.cipher, viewerOf(call.caller), kind, call.parameters['webhookId'] ?? '')
        if (held === null) throw noWebhook()
        requireVersion(call.headers['if-match'], held)
        const facilities =
          sound.facilities === undefined ? undefined : await checkFacilities(tx, held, sound.facilities, faults)
        if (facilities === undefined) await checkOtherFacilities(tx, held, body, faults)
        if (held.listener !== null && url !== undefined && url !== held.url) faults.push(LISTENS)
        if (faults.length > 0) throw wrongFields(faults)
        const change: WebhookChange = {
          ...(url !== undefined && { url }),
          ...(sound.events !== undefined && { events: sound.events }),
          ...(facilities !== undefined && { facilities }),
          ...(secrets !== undefined && { secrets: secrets ?? rotated(held.secrets) }),
        }
        return Object.keys(change).length === 0 ? held : changeWebhook(tx, call.cipher, held, change)
      })
      return { status: 200, body: { data: webhookJson(changed) }, headers: { etag: etagOfWebhook(changed) } }
    },
  }
}
