import { Type } from 'typebox'
import { DELIVERY_STATES, type DeliveryFilter } from '../domain/deliveries/delivery.ts'
import { eventsOf } from '../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { inOurTime, NOT_A_MOMENT, readMoment } from '../http/moment.ts'
import type { Parameter } from '../http/operation.ts'
import { pageOf, readNewestFirst } from './page-query.ts'

const id = Type.String({ minLength: 1, maxLength: 64 })

/** What a list of deliveries can be narrowed to. */
export function deliveryQuery(kind: WebhookKind): Record<string, Parameter> {
  const subject: Record<string, Parameter> =
    kind === 'facility'
      ? { facilityId: { description: 'Only of events at this facility.', schema: id } }
      : { userId: { description: 'Only of events about this person.', schema: id } }
  return {
    ...pageOf('dlv'),
    state: oneOf('Only deliveries in this state.', DELIVERY_STATES),
    type: oneOf('Only of events of this type.', eventsOf(kind)),
    ...subject,
    eventId: { description: 'Only of this event.', schema: id },
    from: moment('Only those that were made at this moment or later.'),
    to: moment('Only those that were made before this moment.'),
  }
}

/** What is read here was found good before. */
export function readDeliveryQuery(
  query: Record<string, string>,
  kind: WebhookKind,
): { filter: DeliveryFilter; page: { before: string | null; limit: number } } {
  const filter: DeliveryFilter = {
    state: DELIVERY_STATES.find((state) => state === query['state']) ?? null,
    type: eventsOf(kind).find((type) => type === query['type']) ?? null,
    subjectId: query[kind === 'facility' ? 'facilityId' : 'userId'] ?? null,
    eventId: query['eventId'] ?? null,
    from: momentOf(query['from']),
    to: momentOf(query['to']),
  }
  return { page: readNewestFirst(query), filter }
}

function oneOf(description: string, values: readonly string[]): Parameter {
  return {
    description,
    schema: Type.Enum([...values], { type: 'string' }),
    fault: (value) =>
      values.includes(value) ? null : { code: 'unknown_value', message: `must be one of: ${values.join(', ')}.` },
  }
}

function moment(description: string): Parameter {
  return {
    description,
    schema: Type.String({ format: 'date-time', maxLength: 40 }),
    fault: (value) => (readMoment(value) === null ? { code: 'malformed', message: NOT_A_MOMENT } : null),
  }
}

function momentOf(given: string | undefined): Date | null {
  const read = given === undefined ? null : readMoment(given)
  return read === null ? null : inOurTime(read)
}
