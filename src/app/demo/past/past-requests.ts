import type { KeptRequest, Refusal } from '../../../domain/requests/logged-request.ts'
import { scattered } from './answers.ts'

/** Whose requests they are. */
export type Callers = { roster: string; notEnabled: string; web: string; spa: string; redirectUri: string }

type Line = Pick<KeptRequest, 'applicationId' | 'environment' | 'method' | 'path' | 'operation' | 'status' | 'refusal'>

const MINUTE = 60_000
const API = '/api/v2/public/webhooks/facility'
/** Of whoever calls from this machine. */
const NETWORK = '127.0.0.0/24'

/** What the demo's applications asked for in the last day, as their team reads it in the request log. */
export function pastRequests(
  now: Date,
  callers: Callers,
  newId: (prefix: string, madeAt: Date) => string,
): KeptRequest[] {
  return lines(callers).map(([minutesAgo, line], step) => {
    const at = new Date(now.getTime() - minutesAgo * MINUTE)
    return {
      ...line,
      id: newId('rql', at),
      requestId: newId('req', at),
      at,
      durationMs: 2 + Math.round(20 * scattered(step)),
      network: NETWORK,
      leftOut: 0,
    }
  })
}

function lines({ roster, notEnabled, web, spa, redirectUri }: Callers): Array<[minutesAgo: number, line: Line]> {
  const hourly = Array.from(
    { length: 22 },
    (_, hour): Array<[number, Line]> => [
      [4 + hour * 60, token(roster, 'client_credentials', null)],
      [3.9 + hour * 60, api(roster, 'GET', 'listFacilityWebhooks', null)],
    ],
  )
  const notAllowed = refused(
    [400, 'unauthorized_client'],
    "Grant type 'client_credentials' is not allowed for the client. Ask support to enable it for this application.",
  )
  const misspelt = refused([400, 'invalid_request'], 'redirect_uri is not registered.', {
    redirect_uri: `${redirectUri}/`,
  })
  const noPkce = refused([302, 'invalid_request'], 'This application must use PKCE: send code_challenge with S256.')
  const reused = refused([400, 'invalid_grant'], 'The code was used before; everything that it gave is revoked.')
  const otherSecret = refused([401, 'invalid_client'], 'The secret is none of the application’s live ones.')
  const noWebhook = refused([404, 'not_found'], 'There is no such webhook, or it is not yours to see.')
  const noHttps = refused([422, 'wrong_fields'], '/url: The URL must begin with https:// and a host.')
  return [
    ...hourly.flat(),
    [16, token(notEnabled, 'client_credentials', notAllowed)],
    [17, token(notEnabled, 'client_credentials', notAllowed)],
    [38, token(notEnabled, 'client_credentials', notAllowed)],
    [95, authorize(web, misspelt)],
    [96, authorize(web, misspelt)],
    [140, authorize(spa, noPkce)],
    [205, token(web, 'authorization_code', reused)],
    [310, token(roster, 'client_credentials', otherSecret)],
    [420, api(roster, 'GET', 'getFacilityWebhook', noWebhook)],
    [640, api(roster, 'POST', 'createFacilityWebhook', noHttps)],
  ]
}

type Refused = Pick<Line, 'status'> & { refusal: Refusal }

function refused([status, error]: [number, string], reason: string, facts: Refusal['facts'] = {}): Refused {
  return { status, refusal: { error, reason, facts } }
}

const DONE = { status: 200, refusal: null }

function token(applicationId: string, operation: string, refusal: Refused | null): Line {
  const environment = operation === 'client_credentials' ? 'sandbox' : null
  return { applicationId, environment, method: 'POST', path: '/oidc/oauth/token', operation, ...(refusal ?? DONE) }
}

function authorize(applicationId: string, refusal: Refused): Line {
  return { applicationId, environment: null, method: 'GET', path: '/oidc/authorize', operation: null, ...refusal }
}

function api(applicationId: string, method: string, operation: string, refusal: Refused | null): Line {
  const path = operation === 'getFacilityWebhook' ? `${API}/:webhookId` : API
  return { applicationId, environment: 'sandbox', method, path, operation, ...(refusal ?? DONE) }
}
