import { createHash, randomBytes } from 'node:crypto'
import { type Child, startChild } from '../child-process.ts'
import { contender, type Server, startHandover, startOidcProvider } from '../contenders.ts'
import { pinThisProcess } from '../cores.ts'
import type { LoadRequest, Order } from '../load/order.ts'
import { type Bar, printSection, type Section, writeResults } from '../report.ts'
import { interleave } from '../rounds.ts'
import { type BenchStorage, startStorage } from '../storage.ts'
import { API_SCOPE, AUDIENCE, CALLBACK, CLIENT_ID, CLIENT_SECRET, seed } from '../token/application.ts'
import { ourBrowsers, peerBrowsers } from './signed-in.ts'

type Options = { rounds: number; seconds: number; only: string }

const CONNECTIONS = 32
const SCOPE = `openid profile email role ${API_SCOPE}`

const OURS = 'handover'
const IN_MEMORY = 'oidc-provider'
const ON_POSTGRES = 'oidc-provider, PostgreSQL'

const VERIFIER = randomBytes(32).toString('base64url')
const QUERY = new URLSearchParams({
  client_id: CLIENT_ID,
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: SCOPE,
  audience: AUDIENCE,
  resource: AUDIENCE,
  state: randomBytes(16).toString('base64url'),
  nonce: randomBytes(16).toString('base64url'),
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}).toString()
const FORM = new URLSearchParams({
  grant_type: 'authorization_code',
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
}).toString()

/** A running server, and for each connection the cookies of a browser in which somebody is signed in. */
type Entrant = { name: string; server: Server; cookies: string[]; authorizePath: string; tokenPath: string }

/**
 * Somebody who is signed in and has consented comes back to an application: /authorize with PKCE answers with a code at once,
 * and the application exchanges it for an access and an ID token. Each connection is another browser. Each server has a core
 * to itself; load and PostgreSQL have the other.
 */
export async function benchAuthorize({ rounds, seconds, only }: Options): Promise<boolean> {
  pinThisProcess('other')
  const storage = await startStorage()
  const load = await startChild('other', ['bench/load/generator.ts'], {}, { awaitMessage: false })
  const entrants: Entrant[] = []
  const sections: Section[] = []
  try {
    await seed(storage.db)
    entrants.push(await openOurs(storage))
    entrants.push(await openPeer(IN_MEMORY, await startOidcProvider('ES256', 'server')))
    entrants.push(await openPeer(ON_POSTGRES, await startOidcProvider('ES256', 'server', storage)))
    const bars: Bar[] = [IN_MEMORY, ON_POSTGRES].map((to) => ({ of: OURS, to, atLeast: 0 }))
    for (const { title, exchanged } of PLANS.filter((plan) => plan.title.includes(only))) {
      const contenders = entrants.map((entrant) =>
        contender(
          entrant.name,
          load,
          entrant.server,
          orderFor(entrant, exchanged),
          entrant.name === IN_MEMORY ? undefined : storage,
        ),
      )
      sections.push(printSection(title, bars, await interleave(contenders, rounds, seconds)))
    }
    await writeResults('authorize', sections)
    return sections.every((section) => section.bars.every(({ reached }) => reached))
  } finally {
    await Promise.all(entrants.flatMap(({ server }) => server.children.map((child: Child) => child.stop())))
    await load.stop()
    await storage.stop()
  }
}

const PLANS = [
  { title: 'authorize: a code, ES256, one core', exchanged: false },
  { title: 'authorize and exchange: code, access token and ID token, ES256, one core', exchanged: true },
]

async function openOurs(storage: BenchStorage): Promise<Entrant> {
  const server = await startHandover(storage, { cores: 'server' })
  const cookies = await ourBrowsers(storage.db, CONNECTIONS, SCOPE)
  return { name: OURS, server, cookies, authorizePath: '/oidc/authorize', tokenPath: '/oidc/oauth/token' }
}

async function openPeer(name: string, server: Server): Promise<Entrant> {
  const authorizePath = '/auth'
  const cookies = await peerBrowsers(server.ports[0] ?? 0, CONNECTIONS, `${authorizePath}?${QUERY}`)
  return { name, server, cookies, authorizePath, tokenPath: '/token' }
}

function orderFor(
  { cookies, authorizePath, tokenPath }: Entrant,
  exchanged: boolean,
): Pick<Order, 'requests' | 'connections' | 'refreshTokens' | 'codes'> {
  const requests = cookies.map((cookie): LoadRequest => {
    const headers = { cookie, accept: 'text/html' }
    return { method: 'GET', path: `${authorizePath}?${QUERY}`, headers, body: '' }
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const exchange = exchanged ? { method: 'POST', path: tokenPath, headers, body: FORM } : null
  return { requests, connections: CONNECTIONS, refreshTokens: null, codes: { exchange } }
}
