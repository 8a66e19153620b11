import { Type } from 'typebox'
import { ENVIRONMENTS } from '../environment.ts'
import { FACILITY_EVENTS, USER_EVENTS } from './event-names.ts'

/** The body that a webhook is sent (decision D3). Fields may be added within v2, so a receiver ignores what it does not know. */

const head = {
  id: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description:
      'The event’s own id, the same on every attempt and in `webhook-id`. Keep it to tell repetitions apart.',
  }),
  timestamp: Type.String({ format: 'date-time', description: 'When it happened.' }),
  environment: Type.Enum([...ENVIRONMENTS], { type: 'string' }),
  apiVersion: Type.Literal('v2'),
}

const tail = {
  data: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'What the marketplace tells of the event, passed on unchanged. Its fields are the marketplace’s.',
    },
  ),
  test: Type.Optional(
    Type.Literal(true, { description: 'Only there when an integrator made the event to try things out.' }),
  ),
}

export const FacilityEvent = Type.Object(
  {
    ...head,
    type: Type.Enum([...FACILITY_EVENTS], { type: 'string' }),
    facilityId: Type.String({ description: 'The facility where it happened.' }),
    ...tail,
  },
  { description: 'What a facility webhook is sent.' },
)

export const UserEvent = Type.Object(
  {
    ...head,
    type: Type.Enum([...USER_EVENTS], { type: 'string' }),
    userId: Type.String({ description: 'The person whose request it was.' }),
    ...tail,
  },
  { description: 'What a user webhook is sent.' },
)
