import { EVENT_MEANINGS, type EventName } from '../domain/webhooks/event-meanings.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../domain/webhooks/event-names.ts'

const PARAMETERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The `id` of the body. The same on every attempt.',
    schema: { type: 'string', examples: ['evt_0198a6c2d1f07c3e9a41b7d2e5f60720'] },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was signed, in seconds since 1970.',
    schema: { type: 'integer', examples: [1_794_729_600] },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description: 'One signature for each secret of the webhook, in their order, with a space between.',
    schema: {
      type: 'string',
      pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$',
      examples: ['v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    },
  },
]

const RESPONSES = {
  '2XX': { description: 'Received. It is not sent again.' },
  410: { description: 'Not wanted any more: the webhook is disabled.' },
  429: { description: 'Too much at once. `Retry-After` is heeded for everything that goes to this webhook.' },
  503: { description: 'Not now. `Retry-After` is heeded for everything that goes to this webhook.' },
  default: { description: 'Failed. It is sent again later.' },
}

/** The `webhooks` of the OpenAPI file: every event of the contract, with the body it is sent with (decision D3). */
export function eventWebhooks(): Record<string, object> {
  return Object.fromEntries([
    ...FACILITY_EVENTS.map((type) => [type, sentEvent(type, 'Facility', { facilityId: 'fac_riverside' })]),
    ...USER_EVENTS.map((type) => [type, sentEvent(type, 'User', { userId: 'usr_0198a6c2d1f07c3e9a41b7d2e5f60721' })]),
  ])
}

function sentEvent(type: EventName, kind: 'Facility' | 'User', subject: object): object {
  const schema = { allOf: [{ $ref: `#/components/schemas/${kind}Event` }, { properties: { type: { const: type } } }] }
  return {
    post: {
      operationId: idOf(type),
      tags: [`${kind} events`],
      summary: EVENT_MEANINGS[type],
      description: `Sent to ${kind.toLowerCase()} webhooks that subscribed to it by name or with \`all\`. See “Receiving events” above.`,
      security: [],
      parameters: PARAMETERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, examples: examplesOf({ type, subject }) } },
      },
      responses: RESPONSES,
    },
  }
}

function examplesOf({ type, subject }: { type: string; subject: object }): object {
  const value = {
    id: 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720',
    type,
    timestamp: '2026-11-15T08:00:00.000Z',
    environment: 'production',
    apiVersion: 'v2',
    ...subject,
    data: {},
  }
  const { data, ...head } = value
  return {
    event: { summary: 'What happened', value },
    test: { summary: 'Made to try things out', value: { ...head, environment: 'sandbox', test: true, data } },
  }
}

/** `shift.report.accepted-automatically` is onShiftReportAcceptedAutomatically. */
function idOf(type: string): string {
  return `on${type
    .split(/[.-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`
}
