import { newWebhookSecret } from '../domain/webhooks/webhook-secret.ts'
import { requiredBody } from '../http/operation.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { register } from './register-webhook.ts'
import { IDEMPOTENCY_KEY, webhookAnswer } from './webhook-docs.ts'
import { checkFacilities, checkOtherFacilities, checkSecrets, checkUrl } from './webhook-fields.ts'
import { CreateFacilityWebhook, type WebhookFields } from './webhook-schemas.ts'

const read = fieldReader<WebhookFields>(CreateFacilityWebhook)

/** POST /webhooks/facility: the owner is whoever the token speaks for (decision C4). */
export const createFacilityWebhook: ApiOperation = {
  method: 'POST',
  path: '/webhooks/facility',
  id: 'createFacilityWebhook',
  tag: 'Facility webhooks',
  summary: 'Create a facility webhook',
  description: 'Registers a URL that is called when shift events happen at the facilities.',
  headers: IDEMPOTENCY_KEY,
  body: {
    schema: CreateFacilityWebhook,
    example: {
      url: 'https://partner.example/hooks/handover',
      events: ['shift.created', 'shift.cancelled'],
      facilities: [],
      secrets: [],
    },
  },
  answers: { 201: webhookAnswer('facility', 'The webhook, registered.', ['Location', 'Idempotent-Replayed']) },
  problems: ['limit_reached', 'changed_meanwhile'],
  run: async (call) => {
    const body = requiredBody(call)
    const fields = read(body)
    const { sound, faults } = fields
    const owner = viewerOf(call.caller)
    const url = checkUrl(fields, call.targets)
    const secrets = checkSecrets(fields, body)
    const given = sound.facilities ?? null
    if (faults.length > 0 || url === undefined || sound.events === undefined) {
      // Everything that is wrong is told at once.
      const named = faults.some(({ pointer }) => pointer.startsWith('/facilities'))
      if (named) await checkOtherFacilities(call.db, owner, body, faults)
      else await checkFacilities(call.db, owner, given, faults)
      throw wrongFields(faults)
    }
    return register(call, {
      ...owner,
      kind: 'facility',
      url,
      events: sound.events,
      facilities: given,
      secrets: secrets ?? [newWebhookSecret()],
    })
  },
}
