import { Type } from 'typebox'
import type { NewEvent } from '../domain/deliveries/event.ts'
import { acceptEvents } from '../domain/deliveries/event-store.ts'
import { PlatformEvent, readEvent } from '../http/event-fields.ts'
import { memberTexts } from '../http/member-texts.ts'
import { requiredBody } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'
import { retriedTransaction } from '../platform/retried-transaction.ts'
import type { PlatformCall, PlatformOperation } from './platform-call.ts'
import { LARGEST_BATCH, readBatch } from './read-batch.ts'

const AcceptedEvent = Type.Object({
  id: Type.String(),
  duplicate: Type.Boolean({ description: 'It was known already; nothing was done again.' }),
  deliveries: Type.Integer({ description: 'How many webhooks get it.' }),
})

const EXAMPLE = { id: 'shift-4711-created', duplicate: false, deliveries: 3 }

/** POST /events: one event or a batch. 202 says that the events and their deliveries are on disk (decision D1). */
export const acceptEventsOperation: PlatformOperation = {
  method: 'POST',
  path: '/events',
  id: 'acceptEvents',
  tag: 'Events',
  summary: 'Tell what happened',
  description:
    'One event, or an array of up to 500, all or none. An `id` that is known with the same content is accepted again and does nothing; with other content it is 409.',
  body: {
    schema: Type.Union([PlatformEvent, Type.Array(PlatformEvent, { minItems: 1, maxItems: LARGEST_BATCH })]),
    example: {
      id: EXAMPLE.id,
      environment: 'sandbox',
      type: 'shift.created',
      facilityId: 'fac_riverside',
      occurredAt: '2026-11-15T08:00:00Z',
      data: { shiftId: '4711', startsAt: '2026-11-20T06:00:00Z' },
    },
  },
  answers: {
    202: {
      description: 'Stored, and on its way. An object for one event, an array in the same order for a batch.',
      schema: Type.Object({ data: Type.Union([AcceptedEvent, Type.Array(AcceptedEvent)]) }),
      example: { data: EXAMPLE },
    },
  },
  problems: ['id_taken'],
  run: async (call) => {
    const isBatch = Array.isArray(requiredBody(call))
    const events = readEvents(call)
    const { environment } = call.key
    const intake = await retriedTransaction(call.db, (tx) =>
      acceptEvents(tx, call.audiences[environment], environment, events),
    )
    if (intake.outcome === 'other-body') throw idTaken(intake.ids, events, isBatch)
    call.bell.ring()
    return { status: 202, body: { data: isBatch ? intake.events : intake.events[0] } }
  },
}

function readEvents({ body, key }: PlatformCall): NewEvent[] {
  const source = { environment: key.environment, by: 'platform' as const }
  const raw = body?.value
  const data = memberTexts(body?.text ?? '', 'data')
  if (!Array.isArray(raw)) {
    const read = readEvent(raw, data[0] ?? null, source)
    if ('faults' in read) throw wrongFields(read.faults)
    return [read.event]
  }
  let position = -1
  return readBatch(
    raw,
    (each) => {
      position += 1
      const read = readEvent(each, data[position] ?? null, source)
      return 'event' in read ? { value: read.event } : read
    },
    { keyOf: ({ id }) => id, keyAt: '/id' },
  )
}

function idTaken(ids: readonly string[], events: readonly NewEvent[], isBatch: boolean): Problem {
  const errors = events.flatMap(({ id }, position) =>
    ids.includes(id)
      ? [{ pointer: isBatch ? `/${position}/id` : '/id', code: 'id_taken', message: 'was used for another event.' }]
      : [],
  )
  return new Problem(
    409,
    'id_taken',
    'Event id taken',
    'An event with this id and other content was accepted before.',
    {
      errors,
    },
  )
}
