import { Type } from 'typebox'
import { LONGEST_ADDRESS, LONGEST_ANSWER_MS, MOST_UNANSWERED } from '../domain/listeners/listener.ts'
import { ALL_EVENTS, FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'
import { FacilityWebhook, UserWebhook } from './webhook-schemas.ts'

/** What listeners and their answers look like (decision record 82). */

const strict = { additionalProperties: false }

export const PutListener = Type.Object(
  {
    events: Type.Optional(
      Type.Array(Type.Enum([...FACILITY_EVENTS, ...USER_EVENTS, ALL_EVENTS], { type: 'string' }), {
        uniqueItems: true,
        description: 'Of facility and user webhooks, as you like. Left out, empty or `all`: every event of both.',
      }),
    ),
  },
  strict,
)

export type ListenerFields = { events?: string[] }

export const Listener = Type.Object({
  name: Type.String(),
  secrets: Type.Array(Type.String(), {
    description: 'What signs for both of its webhooks. They stay when it is put again.',
  }),
  waiting: Type.Integer({ minimum: 0, description: 'Deliveries that nobody has answered; counted up to 10,000.' }),
  facilityWebhook: Type.Union([FacilityWebhook, Type.Null()]),
  userWebhook: Type.Union([UserWebhook, Type.Null()]),
  createdAt: Type.String({ format: 'date-time' }),
})

export const ListenerAnswer = Type.Object({ data: Listener })

export const StreamedEvents = Type.String({
  description: [
    'Server-sent events, each with JSON as its data; lines that begin with a colon come every 10 seconds and only show that the connection lives.',
    '- `waiting`, first: `{ stream, count, handedOut, tokenExpiresIn }`, the number of this stream, one more than that of the one before it, whoever had that; how many wait, how many of those were handed out before, and for how many seconds the token is good.',
    `- \`delivery\`: \`{ deliveryId, attempt, eventId, type, createdAt, handedOutBefore, headers, body }\`. Forward \`body\` as UTF-8 with \`headers\`, and report what came of it. At most ${MOST_UNANSWERED} are out without an answer. \`id\` counts what this listener was ever handed.`,
    '- `replaced`, `deleted`, `expired`, `stopping`, last: another stream of this listener was opened; the listener was deleted; the token or the right to use it ended; the service restarts.',
  ].join('\n'),
})

/** Which stage failed, as in the attempts that the service makes itself. */
export const LOCAL_ERRORS = ['dns', 'connect', 'connect-timeout', 'tls', 'timeout', 'reset', 'protocol'] as const

const HEAD_LENGTH = 8 * 1_024
/** Base64 of 16 KiB (decision D4). */
const BODY_LENGTH = 21_848

export const LocalAnswerFields = Type.Object(
  {
    deliveryId: Type.String({ minLength: 1, maxLength: 64 }),
    attempt: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'As it was handed out.' }),
    signedAt: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 99_999_999_999,
        description: 'The `webhook-timestamp` that was forwarded, for the list of attempts.',
      }),
    ),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_ADDRESS,
        description: 'Where it was forwarded to, for the list of attempts.',
      }),
    ),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'Of the local response. 2xx is success.' }),
    ),
    error: Type.Optional(
      Type.Enum([...LOCAL_ERRORS], { type: 'string', description: 'What failed when there was no response.' }),
    ),
    message: Type.Optional(Type.String({ maxLength: 500, description: 'The same for people.' })),
    durationMs: Type.Integer({ minimum: 0, maximum: LONGEST_ANSWER_MS }),
    responseHead: Type.Optional(
      Type.String({ maxLength: HEAD_LENGTH, description: 'The headers of the response, one in a line.' }),
    ),
    responseBody: Type.Optional(
      Type.String({ maxLength: BODY_LENGTH, description: 'Base64 of the first 16 KiB of the response’s body.' }),
    ),
  },
  strict,
)

export type LocalAnswerBody = {
  deliveryId: string
  attempt: number
  signedAt?: number
  url?: string
  status?: number
  error?: string
  message?: string
  durationMs: number
  responseHead?: string
  responseBody?: string
}

export const AnsweredDelivery = Type.Object({
  data: Type.Object({
    deliveryId: Type.String(),
    attempt: Type.Integer({ minimum: 1 }),
    state: Type.String({ description: 'What the delivery has come to: `delivered` or `failed`.' }),
  }),
})
