import { Type } from 'typebox'
import { ALL_EVENTS, FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'
import { MAX_FACILITIES_GIVEN, MAX_SECRETS } from '../domain/webhooks/webhook.ts'
import { MAX_SECRET_LENGTH } from '../domain/webhooks/webhook-secret.ts'

/** What a webhook's fields are, once for validation, types and OpenAPI (decision C14). */

const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Called when an event is triggered. https, a host that is reachable from the internet, no credentials, no fragment.',
})

export const FacilityWebhookEvent = Type.Enum([...FACILITY_EVENTS, ALL_EVENTS], { type: 'string' })
export const UserWebhookEvent = Type.Enum([...USER_EVENTS, ALL_EVENTS], { type: 'string' })
const eventRules = {
  minItems: 1,
  uniqueItems: true,
  description: '`all` stands for every event of the kind, those to come included.',
}
const facilityEvents = Type.Array(FacilityWebhookEvent, eventRules)
const userEvents = Type.Array(UserWebhookEvent, eventRules)

/** Absent, null and empty all mean "no value given" (decisions C5, C6). */
const noValue = { type: ['array', 'null'] }
const secret = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH })
const facilityId = Type.String({ minLength: 1, maxLength: 64 })

const facilitiesGiven = Type.Optional(
  Type.Unsafe<string[] | null>({
    ...noValue,
    items: facilityId,
    maxItems: MAX_FACILITIES_GIVEN,
    uniqueItems: true,
    description:
      'Ids of facilities. When no value is given, the facilities that the owner of the webhook has access to are detected, once.',
  }),
)
const secretsGiven = Type.Optional(
  Type.Unsafe<string[] | null>({
    ...noValue,
    items: secret,
    maxItems: MAX_SECRETS,
    uniqueItems: true,
    description:
      'One or two secrets that sign what is sent. When no value is given, one is generated; on PATCH the first of the present ones stays behind it. What begins with `whsec_` must be base64 of at least 16 bytes.',
  }),
)

const strict = { additionalProperties: false }

export const CreateFacilityWebhook = Type.Object(
  { url, events: facilityEvents, facilities: facilitiesGiven, secrets: secretsGiven },
  strict,
)
export const CreateUserWebhook = Type.Object({ url, events: userEvents, secrets: secretsGiven }, strict)
export const UpdateFacilityWebhook = Type.Partial(CreateFacilityWebhook, strict)
export const UpdateUserWebhook = Type.Partial(CreateUserWebhook, strict)

/** The fields of any of these bodies, as far as they are there. */
export type WebhookFields = { url?: string; events?: string[]; facilities?: string[] | null; secrets?: string[] | null }

const moment = Type.String({ format: 'date-time' })
const webhookFields = {
  id: Type.String(),
  url: Type.String(),
  clientId: Type.String({ description: 'The application that the webhook belongs to.' }),
  secrets: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_SECRETS }),
  status: Type.Enum(['enabled', 'disabled'], { type: 'string' }),
  disabledReason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why nothing is sent at present.',
  }),
  createdAt: moment,
  updatedAt: moment,
}

export const FacilityWebhook = Type.Object({
  ...webhookFields,
  events: Type.Array(FacilityWebhookEvent),
  facilities: Type.Array(Type.String(), { description: 'The facilities whose events are sent to this webhook.' }),
})
export const UserWebhook = Type.Object({ ...webhookFields, events: Type.Array(UserWebhookEvent) })

export const FacilityWebhookAnswer = Type.Object({ data: FacilityWebhook })
export const UserWebhookAnswer = Type.Object({ data: UserWebhook })

const next = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'The `cursor` of the next page, or null when this is the last.',
})
export const FacilityWebhookList = Type.Object({ data: Type.Array(FacilityWebhook), next })
export const UserWebhookList = Type.Object({ data: Type.Array(UserWebhook), next })
