import { newWebhookSecret } from '../domain/webhooks/webhook-secret.ts'
import { requiredBody } from '../http/operation.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { register } from './register-webhook.ts'
import { IDEMPOTENCY_KEY, webhookAnswer } from './webhook-docs.ts'
import { checkSecrets, checkUrl } from './webhook-fields.ts'
import { CreateUserWebhook, type WebhookFields } from './webhook-schemas.ts'

const read = fieldReader<WebhookFields>(CreateUserWebhook)

/** POST /webhooks/user: facility creation and connection requests, accepted or rejected. */
export const createUserWebhook: ApiOperation = {
  method: 'POST',
  path: '/webhooks/user',
  id: 'createUserWebhook',
  tag: 'User webhooks',
  summary: 'Create a user webhook',
  description:
    'Registers a URL that is called whenever a facility creation request or a facility connection request is accepted or rejected.',
  headers: IDEMPOTENCY_KEY,
  body: {
    schema: CreateUserWebhook,
    example: { url: 'https://partner.example/hooks/handover', events: ['all'], secrets: [] },
  },
  answers: { 201: webhookAnswer('user', 'The webhook, registered.', ['Location', 'Idempotent-Replayed']) },
  problems: ['limit_reached', 'changed_meanwhile'],
  run: async (call) => {
    const body = requiredBody(call)
    const fields = read(body)
    const { sound, faults } = fields
    const url = checkUrl(fields, call.targets)
    const secrets = checkSecrets(fields, body)
    if (faults.length > 0 || url === undefined || sound.events === undefined) throw wrongFields(faults)
    return register(call, {
      ...viewerOf(call.caller),
      kind: 'user',
      url,
      events: sound.events,
      facilities: null,
      secrets: secrets ?? [newWebhookSecret()],
    })
  },
}
