import { Type } from 'typebox'
import type { NewEvent } from '../domain/deliveries/event.ts'
import { acceptEvents } from '../domain/deliveries/event-store.ts'
import { readEvent, SandboxEvent } from '../http/event-fields.ts'
import { memberTexts } from '../http/member-texts.ts'
import { requiredBody } from '../http/operation.ts'
import type { FieldProblem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'
import { type ApiCall, type ApiOperation, viewerOf } from './api-call.ts'
import { checkSubject } from './event-subject.ts'
import { sandboxOnly } from './sandbox-only.ts'
import { IDEMPOTENCY_KEY } from './webhook-docs.ts'

/** POST /sandbox/events (decision C11): an event happens, for the calling application alone. */
export const makeSandboxEvent: ApiOperation = {
  method: 'POST',
  path: '/sandbox/events',
  id: 'makeSandboxEvent',
  tag: 'Sandbox',
  summary: 'Make an event happen',
  description:
    'In sandbox only. The event reaches every webhook of this application that would get it if it had really happened, and nobody else, with `"test": true`. `facilityId` is for events of facility webhooks, `userId` for those of user webhooks.',
  headers: IDEMPOTENCY_KEY,
  body: {
    schema: SandboxEvent,
    example: { type: 'shift.created', facilityId: 'fac_riverside', data: { shiftId: '4711' } },
  },
  answers: {
    202: {
      description: 'It happened, and is on its way.',
      schema: Type.Object({
        data: Type.Object({
          id: Type.String({ description: 'The event’s id.' }),
          deliveries: Type.Integer({ minimum: 0, description: 'How many webhooks get it.' }),
        }),
      }),
      example: { data: { id: 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720', deliveries: 1 } },
      headers: ['Idempotent-Replayed'],
    },
  },
  problems: ['sandbox_only', 'changed_meanwhile'],
  rateName: 'test event',
  run: async (call) => {
    const { application, environment } = call.caller
    if (environment !== 'sandbox') throw sandboxOnly('Events can be made up')
    const event = await readSandboxEvent(call)
    const aim = { applicationId: application.id, webhookId: null }
    const intake = await call.atomically((tx) =>
      acceptEvents(tx, call.audiences[environment], environment, [event], aim),
    )
    // The id is new, so it cannot have been taken.
    if (intake.outcome === 'other-body') throw new Error('A new id was used before')
    call.afterCommit(async () => call.bell.ring())
    const deliveries = intake.events[0]?.deliveries ?? 0
    return { status: 202, body: { data: { id: event.id, deliveries } } }
  },
}

async function readSandboxEvent(call: ApiCall): Promise<NewEvent> {
  const raw = requiredBody(call)
  const data = memberTexts(call.body?.text ?? '', 'data')[0] ?? null
  const read = readEvent(raw, data, { environment: call.caller.environment, by: 'integrator' })
  if ('faults' in read) throw wrongFields(read.faults)
  const faults: FieldProblem[] = []
  await checkSubject(call, viewerOf(call.caller), read.event.subject, faults)
  if (faults.length > 0) throw wrongFields(faults)
  return read.event
}
