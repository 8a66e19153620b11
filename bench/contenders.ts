import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Child, startChild } from './child-process.ts'
import { type Cores, cpuSeconds, cpuSecondsOfChildren } from './cores.ts'
import { freePort } from './free-port.ts'
import type { LoadResult, Order } from './load/order.ts'
import type { Contender, Measurement } from './rounds.ts'
import type { BenchStorage } from './storage.ts'

export type Algorithm = 'ES256' | 'RS256'

/** A running server: where it listens, and its processes. */
export type Server = { ports: number[]; children: Child[] }

const MASTER_KEY = randomBytes(32).toString('base64')

type Start = {
  algorithm?: Algorithm
  cores: Cores
  processes?: number
  /** Only the web side, unless told. */
  role?: string[]
  env?: Record<string, string>
}

/** Ours as an operator runs it, so many processes on one database. */
export async function startHandover(
  storage: Pick<BenchStorage, 'url'>,
  { algorithm = 'ES256', cores, processes = 1, role = ['--only', 'web'], env: more = {} }: Start,
): Promise<Server> {
  const ports: number[] = []
  const children: Child[] = []
  for (let count = 0; count < processes; count++) {
    const port = await freePort()
    const env = {
      DATABASE_URL: storage.url,
      AUTH_URL: 'http://localhost:4000',
      HANDOVER_HOST: '127.0.0.1',
      HANDOVER_MASTER_KEY: MASTER_KEY,
      HANDOVER_ACCESS_TOKEN_ALGORITHM: algorithm,
      PORT: String(port),
      METRICS_PORT: '0',
      ...more,
    }
    children.push(await startChild(cores, ['src/main.ts', 'serve', ...role], env, { awaitMessage: false }))
    await untilReady(port)
    ports.push(port)
  }
  return { ports, children }
}

export async function startOidcProvider(algorithm: Algorithm, cores: Cores, storage?: BenchStorage): Promise<Server> {
  const env = { ALGORITHM: algorithm, ...(storage && { DATABASE_URL: storage.url }) }
  return started(await startChild(cores, ['bench/servers/oidc-provider.ts'], env))
}

export async function startOauth2Server(algorithm: Algorithm, cores: Cores, storage?: BenchStorage): Promise<Server> {
  const env = { ALGORITHM: algorithm, ...(storage && { DATABASE_URL: storage.url }) }
  return started(await startChild(cores, ['bench/servers/oauth2-server.ts'], env))
}

export async function startGlewlwyd(cores: Cores): Promise<Server> {
  return started(await startChild(cores, ['bench/servers/glewlwyd.ts']))
}

export async function startBareLimit(
  algorithm: Algorithm,
  cores: Cores,
  signedBy: 'webcrypto' | 'handover' = 'webcrypto',
): Promise<Server> {
  const env = { ALGORITHM: algorithm, SIGNED_BY: signedBy }
  return started(await startChild(cores, ['bench/servers/bare-limit.ts'], env))
}

export function started(child: Child): Server {
  const { greeting } = child
  if (typeof greeting !== 'object' || greeting === null || !('port' in greeting)) throw new Error('No port was told')
  // A program that the child has started is the one whose CPU counts.
  const pid = 'pid' in greeting ? Number(greeting.pid) : child.pid
  return { ports: [Number(greeting.port)], children: [{ ...child, pid }] }
}

/** Puts the server under the load of an order, again and again, and reads what it cost. */
export function contender(
  name: string,
  load: Child,
  server: Server,
  order: Pick<Order, 'requests' | 'connections' | 'refreshTokens' | 'codes'>,
  storage?: BenchStorage,
): Contender {
  let { refreshTokens } = order
  return {
    name,
    async measure(seconds) {
      const cpuBefore = cpuOf(server)
      const databaseBefore = storage && cpuSecondsOfChildren(storage.postmaster)
      const { ports } = server
      const result = loadResult(await load.ask({ ...order, refreshTokens, ports, seconds }))
      refreshTokens = result.refreshTokens
      const perRequest = (used: number) => (used / result.completed) * 1e6
      const cpuAfter = cpuOf(server)
      return {
        perSecond: result.completed / result.seconds,
        p50: result.p50,
        p99: result.p99,
        cpu: cpuBefore === null || cpuAfter === null ? null : perRequest(cpuAfter - cpuBefore),
        databaseCpu:
          storage && databaseBefore !== undefined
            ? perRequest(cpuSecondsOfChildren(storage.postmaster) - databaseBefore)
            : null,
        failures: result.failures,
      } satisfies Measurement
    },
  }
}

function cpuOf({ children }: Server): number | null {
  const each = children.map(({ pid }) => cpuSeconds(pid)).filter((seconds) => seconds !== null)
  return each.length === children.length ? each.reduce((sum, seconds) => sum + seconds, 0) : null
}

function loadResult(answer: unknown): LoadResult {
  if (!isLoadResult(answer)) throw new Error('The load generator answered something else')
  return answer
}

function isLoadResult(answer: unknown): answer is LoadResult {
  return typeof answer === 'object' && answer !== null && 'completed' in answer
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    if (ready?.ok) return
    await pause(100)
  }
  throw new Error('The service was not ready within 20 s')
}
