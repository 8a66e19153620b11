import type { Environment } from '../domain/environment.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { callService } from './http-call.ts'
import { memberOf, numberOf, textOf } from './json-value.ts'
import { oneLine } from './output.ts'
import { isSafeForSecrets } from './read-address.ts'
import { Refused, refusalOf } from './refused.ts'

export type IssuedToken = { token: string; expiresIn: number }

const COMMAND_LINE = '/api/v2/public/command-line'

/** The key of a login by browser, for an access token of the sandbox (decision record 83). */
export async function tokenByKey({ baseUrl, key }: { baseUrl: string; key: string }): Promise<IssuedToken> {
  const answer = await callService(baseUrl, { method: 'POST', path: `${COMMAND_LINE}/token`, accessToken: key })
  if (answer.status === 401)
    throw new Refused(
      401,
      'key_refused',
      'Your login has ended: it was revoked or has expired. "handover login" makes another.',
    )
  if (answer.status !== 200) throw refusalOf(answer, baseUrl)
  return issuedIn(memberOf(answer.json, 'data'), ['accessToken', 'expiresIn'], baseUrl)
}

/** client_credentials, as any machine does it. */
export async function tokenBySecret(
  { baseUrl, clientId, clientSecret }: { baseUrl: string; clientId: string; clientSecret: string },
  environment: Environment,
): Promise<IssuedToken> {
  const { tokenUrl, audience } = await placeOf(baseUrl, environment)
  const { origin, pathname } = new URL(tokenUrl)
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    audience,
    client_id: clientId,
    client_secret: clientSecret,
  })
  const answer = await callService(origin, { method: 'POST', path: pathname, body })
  if (answer.status === 200) return issuedIn(answer.json, ['access_token', 'expires_in'], origin)
  const error = textOf(answer.json, 'error')
  if (error === null) throw refusalOf(answer, origin)
  throw new Refused(
    answer.status,
    error,
    oneLine(WHY[error] ?? `${textOf(answer.json, 'error_description')} (${error})`),
  )
}

const WHY: Record<string, string> = {
  invalid_client:
    'The service does not know this client id with this secret. Look at HANDOVER_CLIENT_ID and HANDOVER_CLIENT_SECRET.',
  unauthorized_client:
    'This application may not act for itself: support has not turned client_credentials on. "handover login" needs no secret.',
}

/** Where tokens are issued and what their audience is called, as the service itself says. */
async function placeOf(baseUrl: string, environment: Environment): Promise<{ tokenUrl: string; audience: string }> {
  const answer = await callService(baseUrl, { method: 'GET', path: COMMAND_LINE })
  if (answer.status !== 200) throw refusalOf(answer, baseUrl)
  const data = memberOf(answer.json, 'data')
  const tokenUrl = textOf(data, 'tokenEndpoint')
  const audience = textOf(memberOf(data, 'audiences'), environment)
  if (tokenUrl === null || audience === null || !URL.canParse(tokenUrl)) throw strange(baseUrl)
  if (!isSafeForSecrets(new URL(tokenUrl)))
    throw new OperatorError(
      `${baseUrl} issues tokens at ${oneLine(tokenUrl)}, where a secret would go in the clear. Ask who runs it to set AUTH_URL to https.`,
    )
  return { tokenUrl, audience }
}

function issuedIn(value: unknown, [token, expiresIn]: [string, string], at: string): IssuedToken {
  const found = { token: textOf(value, token), expiresIn: numberOf(value, expiresIn) }
  if (found.token === null || found.expiresIn === null) throw strange(at)
  return { token: found.token, expiresIn: found.expiresIn }
}

function strange(at: string): OperatorError {
  return new OperatorError(`${at} answered something that this version does not understand. Is it older or newer?`)
}
