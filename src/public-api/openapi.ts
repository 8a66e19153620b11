import type { TSchema } from 'typebox'
import { FacilityEvent, UserEvent } from '../domain/webhooks/event-schemas.ts'
import { openApiDocument } from '../http/openapi.ts'
import type { Documentation } from '../http/operation.ts'
import { scopeFor } from './caller.ts'
import * as deliveries from './delivery-schemas.ts'
import { eventWebhooks } from './event-docs.ts'
import * as listeners from './listener-schemas.ts'
import { OPERATIONS } from './operations.ts'
import { DOOR_PROBLEMS, KEY_PROBLEMS, PUBLIC_API_PROBLEMS } from './problem-codes.ts'
import { ReplayAnswer, ReplayList, ShownReplay } from './replay-docs.ts'
import * as webhooks from './webhook-schemas.ts'

const DESCRIPTION = `Register webhooks, and be told what happens: shift events at facilities (facility webhooks), and whether facility creation and connection requests were accepted or rejected (user webhooks).

## Access tokens

Every request carries \`Authorization: Bearer <access token>\`, a JWT of the identity server. Ask for it with the **audience** of this API: that of production or that of sandbox. A token without one of them is good for userinfo only and gets 401 here. Which grant to use:

- **Client credentials** for a back end that acts for the application itself. It is off until support enables it.
- **Authorization code**, with PKCE (S256) for applications that cannot keep a secret, to act for a person.

Reading needs the scope \`marketplace:read\`, everything else \`marketplace:write\`. Tokens live an hour; keep one and renew it before it expires.

## Environments

The audience of the token decides between production and sandbox. Each has its own facilities, webhooks and events, and neither sees the other's.

## Whose a webhook is

A webhook belongs to the application and, when the token speaks for a person, to that person. It is seen and changed with a token of that person, or with a client credentials token of the application. For everybody else it does not exist: 404.

## Repeating a request

Every POST takes an \`Idempotency-Key\`: the same key with the same body gets the same answer for 24 hours, so that a request whose answer was lost can be sent again. \`ETag\` and \`If-Match\` keep two changes from overwriting each other.

## Receiving events

Events are sent as POST to every webhook that subscribed to them by name or with \`all\`, at least once and in no certain order. Answer any 2xx within 15 seconds; the body of the answer does not matter. Everything else is a failure, redirects included, and is tried again, ten times in all over three to four days.

Verify \`webhook-signature\` before you trust the body: it has one \`v1,\` signature for each secret of the webhook, the base64 of HMAC-SHA256 over \`{webhook-id}.{webhook-timestamp}.{body}\`, as [Standard Webhooks](https://www.standardwebhooks.com) has it. A secret that begins with \`whsec_\` signs with the bytes that the rest of it encodes, any other with its UTF-8 bytes. Refuse timestamps that are more than five minutes off, and keep \`webhook-id\` to tell repetitions apart.

What became of each event is listed under \`…/deliveries\` of the webhook for 30 days, with every attempt; one can be resent, and a range of time replayed. Events for a disabled webhook are held. To try things out, send a test event to a webhook, or make an event happen in sandbox: such events say \`"test": true\` and reach only your own webhooks.

## Limits

50 requests a second and 100 at once for each application and environment; \`X-RateLimit-*\` tell what is left, and 429 comes with \`Retry-After\`. Test events, resends and replays have a tenth of it each. Bodies are JSON of at most 64 KiB, with at most 2 secrets and 1,000 facilities. A person may have 20 webhooks of each kind at an application, an application 100 of its own. Support can raise these numbers.

## Problems

Whatever goes wrong is answered as \`application/problem+json\` (RFC 9457). Decide by \`code\`, which never changes its meaning; \`title\` and \`detail\` are for people. 422 names every wrong field at once in \`errors\`. A field or parameter that is not known is refused, so that a misspelt one is not silent.

## Versions

Within v2 fields, operations, codes and events are only added; ignore what you do not know. A new event reaches webhooks that subscribed to \`all\`.`

/** What integrators are told about this API (decision C14). `docs/openapi.json` is the same with a made-up address. */
export function publicApiDocument(baseUrl: string, authUrl: string = baseUrl): object {
  return openApiDocument({
    title: 'Handover public API',
    version: '2.0.0',
    description: DESCRIPTION,
    server: baseUrl,
    prefix: '/api/v2/public',
    tags: {
      'Facility webhooks': 'Webhooks that are told of shift events at facilities.',
      'User webhooks': 'Webhooks that are told what became of facility creation and connection requests.',
      Deliveries: 'Finding what was sent, whichever webhook it went to.',
      Sandbox: 'Making events happen, to try things out, and fetching them where nobody can call.',
      'Facility events': 'What facility webhooks are sent.',
      'User events': 'What user webhooks are sent.',
    },
    security: { name: 'oauth', scheme: oauthScheme(authUrl), scopes: (operation) => [scopeFor(operation)] },
    problems: DOOR_PROBLEMS,
    meanings: PUBLIC_API_PROBLEMS,
    operations: OPERATIONS.map(withKeyProblems),
    webhooks: eventWebhooks(),
    schemas: named(),
  })
}

/** Each is written once, under this name, and referred to wherever it stands. */
function named(): Record<string, TSchema> {
  const { FacilityWebhook, FacilityWebhookAnswer, FacilityWebhookList, FacilityWebhookEvent } = webhooks
  const { UserWebhook, UserWebhookAnswer, UserWebhookList, UserWebhookEvent } = webhooks
  const { CreateFacilityWebhook, CreateUserWebhook, UpdateFacilityWebhook, UpdateUserWebhook } = webhooks
  const { FacilityDelivery, FacilityDeliveryAnswer, FacilityDeliveryList, FacilityDeliveryWithBody } = deliveries
  const { UserDelivery, UserDeliveryAnswer, UserDeliveryList, UserDeliveryWithBody, Attempt, AttemptList } = deliveries
  const { Listener, ListenerAnswer, AnsweredDelivery } = listeners
  return {
    FacilityWebhook,
    FacilityWebhookAnswer,
    FacilityWebhookList,
    FacilityWebhookEvent,
    UserWebhook,
    UserWebhookAnswer,
    UserWebhookList,
    UserWebhookEvent,
    CreateFacilityWebhook,
    CreateUserWebhook,
    UpdateFacilityWebhook,
    UpdateUserWebhook,
    FacilityDelivery,
    FacilityDeliveryAnswer,
    FacilityDeliveryList,
    FacilityDeliveryWithBody,
    UserDelivery,
    UserDeliveryAnswer,
    UserDeliveryList,
    UserDeliveryWithBody,
    Attempt,
    AttemptList,
    Replay: ShownReplay,
    ReplayAnswer,
    ReplayList,
    Listener,
    ListenerAnswer,
    AnsweredDelivery,
    FacilityEvent,
    UserEvent,
  }
}

/** Whoever may send an Idempotency-Key can be wrong about it. */
function withKeyProblems(operation: Documentation): Documentation {
  const takesKey = operation.headers !== undefined && 'Idempotency-Key' in operation.headers
  return takesKey ? { ...operation, problems: [...operation.problems, ...KEY_PROBLEMS] } : operation
}

/** The flows that are recommended; OpenAPI has no place for the audience, so the description says it. */
function oauthScheme(authUrl: string): object {
  const tokenUrl = `${authUrl}/oidc/oauth/token`
  const scopes = {
    'marketplace:read': 'List and read webhooks.',
    'marketplace:write': 'Create, change and delete webhooks.',
  }
  return {
    type: 'oauth2',
    description: `A JWT access token of the identity server, as \`Authorization: Bearer\`. Ask for it with \`audience\` set to this API, production or sandbox. Everything about the server is at ${authUrl}/oidc/.well-known/openid-configuration.`,
    flows: {
      clientCredentials: { tokenUrl, scopes },
      authorizationCode: {
        authorizationUrl: `${authUrl}/oidc/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: { ...scopes, offline_access: 'Get a refresh token as well.' },
      },
    },
  }
}
