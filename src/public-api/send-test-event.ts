import { Type } from 'typebox'
import { sendTestEvent as send } from '../domain/deliveries/test-event.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook } from '../domain/webhooks/webhook-store.ts'
import { memberTexts } from '../http/member-texts.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { type ApiOperation, optionalBody, viewerOf } from './api-call.ts'
import { webhookDisabled } from './delivery-answer.ts'
import { checkSubject } from './event-subject.ts'
import { noWebhook } from './webhook-answer.ts'
import { IDEMPOTENCY_KEY, idFor, WEBHOOK_ID } from './webhook-docs.ts'

const id = Type.String({ minLength: 1, maxLength: 64 })
const data = Type.Optional(
  Type.Object(
    {},
    { additionalProperties: true, description: 'Passed on to the byte; an example when it is left out.' },
  ),
)
const typeRules = { type: 'string', description: 'The first that the webhook subscribes to, when it is left out.' }
const strict = { additionalProperties: false }

const SCHEMAS = {
  facility: Type.Object(
    {
      type: Type.Optional(Type.Enum([...FACILITY_EVENTS], typeRules)),
      facilityId: Type.Optional({ ...id, description: 'The first of the webhook, when it is left out.' }),
      data,
    },
    strict,
  ),
  user: Type.Object(
    {
      type: Type.Optional(Type.Enum([...USER_EVENTS], typeRules)),
      userId: Type.Optional({
        ...id,
        description: 'The webhook’s person, when it is left out; nobody, for a webhook of the application itself.',
      }),
      data,
    },
    strict,
  ),
}

type TestFields = { type?: string; facilityId?: string; userId?: string; data?: object }

const readers = { facility: fieldReader<TestFields>(SCHEMAS.facility), user: fieldReader<TestFields>(SCHEMAS.user) }

/** POST …/:webhookId/test (decision C11): one event to this webhook alone, whatever it subscribes to. */
export function sendTestEvent(kind: WebhookKind): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/test`,
    id: idFor(kind, 'test'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Send a test event to a ${kind} webhook`,
    description:
      'Sends one event with `"test": true` to this webhook and to no other, signed and retried as every event is.',
    parameters: WEBHOOK_ID,
    headers: IDEMPOTENCY_KEY,
    body: {
      schema: SCHEMAS[kind],
      example: { type: kind === 'facility' ? FACILITY_EVENTS[0] : USER_EVENTS[0], data: {} },
      optional: true,
    },
    answers: {
      202: {
        description: 'It is on its way.',
        schema: Type.Object({ data: Type.Object({ eventId: Type.String(), deliveryId: Type.String() }) }),
        example: {
          data: {
            eventId: 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720',
            deliveryId: 'dlv_0198a6c2d1f07c3e9a41b7d2e5f60722',
          },
        },
        headers: ['Idempotent-Replayed'],
      },
    },
    problems: ['not_found', 'webhook_disabled', 'changed_meanwhile'],
    rateName: 'test event',
    run: async (call) => {
      const fields = readers[kind](optionalBody(call))
      const sent = await call.atomically(async (tx) => {
        const webhook = await holdWebhook(
          tx,
          call.cipher,
          viewerOf(call.caller),
          kind,
          call.parameters['webhookId'] ?? '',
        )
        if (webhook === null) throw noWebhook()
        const { sound, faults } = fields
        await checkSubject({ ...call, db: tx }, webhook, sound, faults)
        if (faults.length > 0) throw wrongFields(faults)
        if (webhook.disabledBecause !== null) throw webhookDisabled()
        const { type, facilityId, userId } = sound
        return send(tx, call.audiences, webhook, {
          ...(type !== undefined && { type }),
          ...(facilityId !== undefined && { facilityId }),
          ...(userId !== undefined && { userId }),
          data: memberTexts(call.body?.text ?? '', 'data')[0] ?? null,
        })
      })
      call.afterCommit(async () => call.bell.ring())
      return { status: 202, body: { data: sent } }
    },
  }
}
