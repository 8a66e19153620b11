import { Type } from 'typebox'
import { newestDeliveryOf } from '../domain/deliveries/delivery-list-store.ts'
import type { NewEvent } from '../domain/deliveries/event.ts'
import { acceptEvents } from '../domain/deliveries/event-store.ts'
import { exampleData } from '../domain/deliveries/example-data.ts'
import { ALL_EVENTS, FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'
import type { Webhook, WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook } from '../domain/webhooks/webhook-store.ts'
import { memberTexts } from '../http/member-texts.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { newId } from '../platform/ids.ts'
import { type ApiCall, type ApiOperation, optionalBody, viewerOf } from './api-call.ts'
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
        const event = testEvent(call, webhook, sound)
        const { environment } = webhook
        await acceptEvents(tx, call.audiences[environment], environment, [event], {
          applicationId: null,
          webhookId: webhook.id,
        })
        return { eventId: event.id, deliveryId: await newestDeliveryOf(tx, webhook.id, event.id) }
      })
      call.afterCommit(async () => call.bell.ring())
      return { status: 202, body: { data: sent } }
    },
  }
}

/** A facility or person that is nobody's, where a webhook has none: whoever tries things out needs no other. */
const NOBODY = { facilityId: 'fac_test', userId: 'usr_test' }

function testEvent({ body }: ApiCall, webhook: Webhook, { type, facilityId, userId }: Partial<TestFields>): NewEvent {
  const isFacility = webhook.kind === 'facility'
  const first = isFacility ? FACILITY_EVENTS[0] : USER_EVENTS[0]
  const chosen = type ?? webhook.events.find((each) => each !== ALL_EVENTS) ?? first
  return {
    id: newId('evt'),
    environment: webhook.environment,
    type: chosen,
    subject: isFacility
      ? { facilityId: facilityId ?? webhook.facilities[0] ?? NOBODY.facilityId }
      : { userId: userId ?? webhook.userId ?? NOBODY.userId },
    occurredAt: null,
    data: memberTexts(body?.text ?? '', 'data')[0] ?? exampleData(chosen),
    test: true,
  }
}
