import { Type } from 'typebox'
import { DELIVERY_STATES, REASONS } from '../domain/deliveries/delivery.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'

/** What deliveries and attempts look like (decisions D8, D10). */

const moment = Type.String({ format: 'date-time' })
const momentOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const head = {
  id: Type.String(),
  eventId: Type.String({ description: 'The `webhook-id` that is sent.' }),
}

const tail = {
  state: Type.Enum([...DELIVERY_STATES], {
    type: 'string',
    description:
      '`pending`: to be sent, or sent again. `held`: not sent until somebody asks for it or what holds it is over. `delivered`, `failed`, `cancelled`: over.',
  }),
  reason: textOrNull(
    `Why it is held, failed or cancelled. At present: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}.`,
  ),
  attempts: Type.Integer({ minimum: 0, description: 'How many were made, those by hand included.' }),
  createdAt: moment,
  nextAttemptAt: momentOrNull(
    'Not before this moment; null while an attempt is under way, and when none is to come by itself.',
  ),
  finishedAt: momentOrNull('When it was over.'),
}

const requestBody = Type.String({ description: 'The body that is sent, to the byte.' })
const next = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The `cursor` of the next page, or null when this is the last.',
})

const facilityFields = {
  ...head,
  type: Type.Enum([...FACILITY_EVENTS], { type: 'string' }),
  facilityId: Type.String(),
  ...tail,
}
const userFields = { ...head, type: Type.Enum([...USER_EVENTS], { type: 'string' }), userId: Type.String(), ...tail }

export const FacilityDelivery = Type.Object(facilityFields)
export const UserDelivery = Type.Object(userFields)

export const FacilityDeliveryAnswer = Type.Object({ data: FacilityDelivery })
export const UserDeliveryAnswer = Type.Object({ data: UserDelivery })
export const FacilityDeliveryList = Type.Object({ data: Type.Array(FacilityDelivery), next })
export const UserDeliveryList = Type.Object({ data: Type.Array(UserDelivery), next })
export const FacilityDeliveryWithBody = Type.Object({ data: Type.Object({ ...facilityFields, requestBody }) })
export const UserDeliveryWithBody = Type.Object({ data: Type.Object({ ...userFields, requestBody }) })

export const Attempt = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  startedAt: moment,
  url: Type.String({ description: 'Where it was sent.' }),
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The status of the response; null when there was none.',
  }),
  error: textOrNull('What failed when there was no response.'),
  message: textOrNull('The same for people.'),
  durationMs: Type.Integer({ minimum: 0, description: 'Until the headers of the response were in.' }),
  responseHead: textOrNull('The headers of the response, one in a line.'),
  responseBody: textOrNull(
    'The beginning of the response’s body as UTF-8 text: at most 16 KiB of the last failure, 1 KiB of everything else.',
  ),
  manual: Type.Boolean({ description: 'Resent by hand: it counts for nothing else.' }),
})
export const AttemptList = Type.Object({ data: Type.Array(Attempt), next })
