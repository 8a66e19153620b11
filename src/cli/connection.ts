import type { Environment } from '../domain/environment.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { Terminal } from '../platform/terminal.ts'
import { CONNECTION_OPTIONS, type Given } from './arguments.ts'
import { type IssuedToken, tokenByKey, tokenBySecret } from './fetch-token.ts'
import { readServiceUrl, USUAL_URL } from './read-address.ts'
import { readStoredLogin, type StoredLogin } from './stored-login.ts'

/** A service, an application there, and the way to its access tokens. */
export type Connection = {
  baseUrl: string
  clientId: string
  environment: Environment
  /** Good for some minutes at least. `refused` is one that was not taken: another is fetched then. */
  accessToken: (refused?: string) => Promise<string>
}

export type ConnectionOptions = Partial<Record<(typeof CONNECTION_OPTIONS)[number], string | undefined>>

/** What was said on the command line about where to, and as whom. */
export function connectionOptions(given: Given): ConnectionOptions {
  return Object.fromEntries(CONNECTION_OPTIONS.map((name) => [name, given.text(name)]))
}

/** By the environment, as machines have it, or by the stored login, as people do. The command line comes before both. */
export async function connectionFrom(terminal: Terminal, options: ConnectionOptions): Promise<Connection> {
  const environment = readEnvironment(options.environment)
  const credentials = await credentialsFrom(terminal, options)
  const { baseUrl, clientId } = credentials
  if ('key' in credentials && environment !== 'sandbox')
    throw new OperatorError(
      'A login by browser is for sandbox alone. For production set HANDOVER_CLIENT_ID and HANDOVER_CLIENT_SECRET.',
    )
  const fetchToken =
    'key' in credentials ? () => tokenByKey(credentials) : () => tokenBySecret(credentials, environment)
  return { baseUrl, clientId, environment, accessToken: keptToken(fetchToken) }
}

type Credentials = { baseUrl: string; clientId: string } & ({ key: string } | { clientSecret: string })

async function credentialsFrom({ env }: Terminal, options: ConnectionOptions): Promise<Credentials> {
  const urlText = options.url ?? env['HANDOVER_URL']
  const url = urlText ? readServiceUrl(urlText, options.url === undefined ? 'HANDOVER_URL' : '--url') : null
  const clientId = options['client-id'] ?? (env['HANDOVER_CLIENT_ID'] || null)
  const clientSecret = env['HANDOVER_CLIENT_SECRET'] || null
  if (clientId !== null && clientSecret !== null) return { baseUrl: url ?? USUAL_URL, clientId, clientSecret }
  if (clientSecret !== null) throw new OperatorError('HANDOVER_CLIENT_SECRET is set without HANDOVER_CLIENT_ID.')
  const login = await readStoredLogin(env)
  if (login === null) throw notLoggedIn(clientId)
  if (url !== null && url !== login.baseUrl)
    throw new OperatorError(`You are logged in at ${login.baseUrl}. For ${url}: "handover login --url ${url}".`)
  if (clientId !== null && clientId !== login.clientId)
    throw new OperatorError(
      `You are logged in as ${login.clientId}. For ${clientId} set HANDOVER_CLIENT_SECRET too, or "handover login" again.`,
    )
  return credentialsOf(login)
}

function credentialsOf({ baseUrl, clientId, login }: StoredLogin): Credentials {
  return login.by === 'browser'
    ? { baseUrl, clientId, key: login.key }
    : { baseUrl, clientId, clientSecret: login.clientSecret }
}

function notLoggedIn(clientId: string | null): OperatorError {
  return clientId === null
    ? new OperatorError(
        'You are not logged in: "handover login" (or set HANDOVER_CLIENT_ID and HANDOVER_CLIENT_SECRET).',
      )
    : new OperatorError(`HANDOVER_CLIENT_SECRET is missing for ${clientId}. Or use "handover login".`)
}

function readEnvironment(text: string | undefined): Environment {
  if (text === undefined || text === 'sandbox') return 'sandbox'
  if (text === 'production') return 'production'
  throw new OperatorError('--environment takes sandbox or production')
}

/** A token is not used in its last minutes, so that what begins with it can also end with it. */
const SPARE_SECONDS = 300

/** One token for as long as it is good; who asks while one is being fetched waits for the same. */
function keptToken(fetchToken: () => Promise<IssuedToken>): Connection['accessToken'] {
  let kept: { token: string; until: number } | null = null
  let fetching: Promise<string> | null = null

  async function renew(): Promise<string> {
    const { token, expiresIn } = await fetchToken()
    const spare = Math.min(SPARE_SECONDS, expiresIn / 2)
    kept = { token, until: performance.now() + (expiresIn - spare) * 1_000 }
    return token
  }

  return async (refused) => {
    if (kept !== null && kept.token !== refused && performance.now() < kept.until) return kept.token
    fetching ??= renew().finally(() => {
      fetching = null
    })
    return fetching
  }
}
