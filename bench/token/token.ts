import { type Child, startChild } from '../child-process.ts'
import {
  type Algorithm,
  contender,
  type Server,
  startBareLimit,
  startGlewlwyd,
  startHandover,
  startOauth2Server,
  startOidcProvider,
} from '../contenders.ts'
import { canPin, pinThisProcess } from '../cores.ts'
import type { LoadRequest } from '../load/order.ts'
import { glewlwydVersion } from '../machine.ts'
import { type Bar, printSection, type Section, writeResults } from '../report.ts'
import { interleave } from '../rounds.ts'
import { type BenchStorage, startStorage } from '../storage.ts'
import { API_SCOPE, AUDIENCE, CLIENT_ID, CLIENT_SECRET, seed, startFamilies } from './application.ts'

const CLIENT = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
const CLIENT_CREDENTIALS = {
  grant_type: 'client_credentials',
  ...CLIENT,
  audience: AUDIENCE,
  resource: AUDIENCE,
  scope: API_SCOPE,
}
const REFRESH = { grant_type: 'refresh_token', ...CLIENT }

/** Where each of them has its token endpoint. */
const OUR_PATH = '/oidc/oauth/token'
const PEER_PATH = '/token'
const GLEWLWYD_PATH = '/api/oidc/token'

const OURS = 'handover'
const PEER = 'oidc-provider'
const OAUTH2_SERVER = 'oauth2-server'
const GLEWLWYD = 'glewlwyd'
const BARE = 'bare limit'
const BARE_SIGNING_AS_WE = 'bare limit, our signature'

const hasGlewlwyd = glewlwydVersion() !== null

type Options = { rounds: number; seconds: number; only: string }

type Bench = Options & { storage: BenchStorage; load: Child }

/** Answers whether every bar was reached. */
export async function benchToken(options: Options): Promise<boolean> {
  if (!canPin) console.log('Processes cannot be pinned to cores here; the figures are noisier than they should be.')
  if (!hasGlewlwyd) console.log('glewlwyd is not installed (apt-get install --no-install-recommends glewlwyd).')
  // PostgreSQL starts from here, so it shares the other core with the load generator.
  pinThisProcess('other')
  const storage = await startStorage()
  const load = await startChild('other', ['bench/load/generator.ts'], {}, { awaitMessage: false })
  const bench = { storage, load, ...options }
  try {
    await seed(storage.db)
    const sections: Section[] = []
    for (const plan of PLANS.filter(({ title }) => title.includes(options.only))) sections.push(await run(bench, plan))
    await writeResults('token', sections)
    return sections.every(({ bars }) => bars.every(({ reached }) => reached))
  } finally {
    await load.stop()
    await storage.stop()
  }
}

type Entry = {
  server: Server
  order: { requests: LoadRequest[]; connections: number; refreshTokens: string[] | null }
  storage?: BenchStorage
}

type Plan = { title: string; bars: Bar[]; start: (storage: BenchStorage) => Promise<Record<string, Entry>> }

const PLANS: Plan[] = [
  oneCore(
    'ES256',
    [
      { of: OURS, to: BARE, atLeast: 0.7 },
      { of: OURS, to: BARE_SIGNING_AS_WE, atLeast: 0 },
      { of: OURS, to: PEER, atLeast: 1.5 },
      { of: OURS, to: PEER, atLeast: 2 },
      { of: OURS, to: OAUTH2_SERVER, atLeast: 0 },
      ...(hasGlewlwyd ? [{ of: OURS, to: GLEWLWYD, atLeast: 0 }] : []),
    ],
    async () => ({
      [BARE_SIGNING_AS_WE]: { server: await startBareLimit('ES256', 'server', 'handover'), order: asking('/', 32) },
      [OAUTH2_SERVER]: { server: await startOauth2Server('ES256', 'server'), order: asking(PEER_PATH, 32) },
      ...(hasGlewlwyd && { [GLEWLWYD]: { server: await startGlewlwyd('server'), order: asking(GLEWLWYD_PATH, 32) } }),
    }),
  ),
  oneCore('RS256', [{ of: OURS, to: BARE, atLeast: 0.9 }]),
  bothCores(),
  refresh(),
]

/** The server has a core to itself; the load comes from the other. */
function oneCore(
  algorithm: Algorithm,
  bars: Bar[],
  more: () => Promise<Record<string, Entry>> = async () => ({}),
): Plan {
  return {
    title: `client_credentials, ${algorithm}, one core`,
    bars,
    start: async (storage) => ({
      [OURS]: { server: await startHandover(storage, { algorithm, cores: 'server' }), order: asking(OUR_PATH, 32) },
      [PEER]: { server: await startOidcProvider(algorithm, 'server'), order: asking(PEER_PATH, 32) },
      [BARE]: { server: await startBareLimit(algorithm, 'server'), order: asking('/', 32) },
      ...(await more()),
    }),
  }
}

/**
 * The servers and the load share both cores. Ours runs as two processes on one database; the peer's memory is of one process,
 * which uses the second core for signatures only.
 */
function bothCores(): Plan {
  const algorithm = 'ES256'
  return {
    title: 'client_credentials, ES256, both cores',
    bars: [{ of: OURS, to: PEER, atLeast: 2 }],
    start: async (storage) => ({
      [OURS]: {
        server: await startHandover(storage, { algorithm, cores: 'both', processes: 2 }),
        order: asking(OUR_PATH, 64),
      },
      [`${OURS}, one process`]: {
        server: await startHandover(storage, { algorithm, cores: 'both' }),
        order: asking(OUR_PATH, 64),
      },
      [PEER]: { server: await startOidcProvider(algorithm, 'both'), order: asking(PEER_PATH, 64) },
    }),
  }
}

/**
 * Tokens of others. Without them PostgreSQL plans for tables of a page, and reads all of what they grow to until it analyzes them again,
 * in some runs and not in others: twice the CPU of its own for a refresh of ours.
 */
const OTHERS = 2_000

/** A refresh token is used up, its successor is on disk, and an access and an ID token are signed (both ES256). */
function refresh(): Plan {
  const algorithm = 'ES256'
  return {
    title: 'refresh_token with rotation, ES256, on PostgreSQL',
    bars: [
      { of: OURS, to: PEER, atLeast: 2 },
      { of: OURS, to: PEER, atLeast: 3 },
      { of: OURS, to: OAUTH2_SERVER, atLeast: 0 },
    ],
    start: async (storage) => {
      const connections = 32
      const server = await startHandover(storage, { algorithm, cores: 'server' })
      const refreshTokens = (await startFamilies(storage.db, connections + OTHERS)).slice(0, connections)
      const order = { requests: [form(OUR_PATH, REFRESH)], connections, refreshTokens }
      const entryOf = async (peer: Server): Promise<Entry> => {
        const theirs = tokensIn(await peer.children[0]?.ask(String(connections + OTHERS)))
        return {
          server: peer,
          order: { requests: [form(PEER_PATH, REFRESH)], connections, refreshTokens: theirs.slice(0, connections) },
          storage,
        }
      }
      const entries = {
        [OURS]: { server, order, storage },
        [PEER]: await entryOf(await startOidcProvider(algorithm, 'server', storage)),
        [OAUTH2_SERVER]: await entryOf(await startOauth2Server(algorithm, 'server', storage)),
      }
      await storage.db`vacuum analyze`
      return entries
    },
  }
}

async function run({ load, storage, rounds, seconds }: Bench, { title, bars, start }: Plan): Promise<Section> {
  const entries = Object.entries(await start(storage))
  try {
    const contenders = entries.map(([name, entry]) => contender(name, load, entry.server, entry.order, entry.storage))
    return printSection(title, bars, await interleave(contenders, rounds, seconds))
  } finally {
    await Promise.all(entries.flatMap(([, { server }]) => server.children.map((child) => child.stop())))
  }
}

function tokensIn(answer: unknown): string[] {
  const tokens = typeof answer === 'object' && answer !== null && 'reply' in answer ? answer.reply : null
  return Array.isArray(tokens) ? tokens.map(String) : []
}

function asking(path: string, connections: number): Entry['order'] {
  return { requests: [form(path, CLIENT_CREDENTIALS)], connections, refreshTokens: null }
}

function form(path: string, fields: Record<string, string>): LoadRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', path, headers, body: new URLSearchParams(fields).toString() }
}
