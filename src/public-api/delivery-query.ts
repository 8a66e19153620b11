import { Type } from 'typebox'
import { DELIVERY_STATES, type DeliveryFilter } from '../domain/deliveries/delivery.ts'
import { eventsOf } from '../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { inOurTime, NOT_A_MOMENT, readMoment } from '../http/moment.ts'
import { type Parameter, queryFault } from '../http/operation.ts'
import { PAGE_QUERY } from '../http/page-query.ts'
import type { FieldProblem } from '../http/problem.ts'
import { readNewestFirst } from './page-query.ts'

const id = Type.String({ minLength: 1, maxLength: 64 })
const moment = Type.String({ format: 'date-time', maxLength: 40 })

/** What a list of deliveries can be narrowed to. */
export function deliveryQuery(kind: WebhookKind): Record<string, Parameter> {
  const subject: Record<string, Parameter> =
    kind === 'facility'
      ? { facilityId: { description: 'Only of events at this facility.', schema: id } }
      : { userId: { description: 'Only of events about this person.', schema: id } }
  return {
    ...PAGE_QUERY,
    state: {
      description: 'Only deliveries in this state.',
      schema: Type.Enum([...DELIVERY_STATES], { type: 'string' }),
    },
    type: { description: 'Only of events of this type.', schema: Type.Enum([...eventsOf(kind)], { type: 'string' }) },
    ...subject,
    eventId: { description: 'Only of this event.', schema: id },
    from: { description: 'Only those that were made at this moment or later.', schema: moment },
    to: { description: 'Only those that were made before this moment.', schema: moment },
  }
}

export function readDeliveryQuery(
  query: Record<string, string>,
  kind: WebhookKind,
): { filter: DeliveryFilter; page: { before: string | null; limit: number } } {
  const faults: FieldProblem[] = []
  const filter: DeliveryFilter = {
    state: oneOf(query, 'state', DELIVERY_STATES, faults),
    type: oneOf(query, 'type', eventsOf(kind), faults),
    subjectId: query[kind === 'facility' ? 'facilityId' : 'userId'] ?? null,
    eventId: query['eventId'] ?? null,
    from: momentOf(query, 'from', faults),
    to: momentOf(query, 'to', faults),
  }
  return { page: readNewestFirst(query, 'dlv', faults), filter }
}

function oneOf<Value extends string>(
  query: Record<string, string>,
  name: string,
  values: readonly Value[],
  faults: FieldProblem[],
): Value | null {
  const given = query[name]
  if (given === undefined) return null
  const found = values.find((each) => each === given)
  if (found === undefined) faults.push(queryFault(name, 'unknown_value', `must be one of: ${values.join(', ')}.`))
  return found ?? null
}

function momentOf(query: Record<string, string>, name: string, faults: FieldProblem[]): Date | null {
  const given = query[name]
  if (given === undefined) return null
  const read = readMoment(given)
  if (read === null) faults.push(queryFault(name, 'malformed', NOT_A_MOMENT))
  return read === null ? null : inOurTime(read)
}
