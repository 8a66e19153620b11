import { type Child, startChild } from '../child-process.ts'
import { type Algorithm, type Server, startHandover } from '../contenders.ts'
import { pinThisProcess } from '../cores.ts'
import type { OpenOrder, OpenResult, Phase, PhaseResult } from '../load/open-order.ts'
import { type BenchStorage, startStorage } from '../storage.ts'
import { clientCredentials, type Endpoint, endpoint, openEndpoints, seedEndpoints } from './endpoints.ts'
import { type Judged, judgeOverload, judgeStorm, print, writeOverload } from './verdict.ts'

type Options = { rounds: number; seconds: number; only: string }

/** What the server can do is measured with as many at once as its gates let in. */
const AT_ONCE = 64
/** So many that nobody has to wait for one, which would be a queue in front of the service that it cannot see. */
const CONNECTIONS = 8_000
const TIMES = 3
const STORM_TIMES = 3
const WARM_UP_SECONDS = 4
const LOAD_SECONDS = 8
const AFTER_SECONDS = 6
/** Of what the token endpoint can do, while people sign in. */
const TOKEN_SHARE = 0.2

/**
 * Each endpoint at three times of what it can do, from somebody who does not wait for answers, and then at a tenth; and tokens while
 * three times as many people sign in as passwords can be checked.
 */
export async function benchOverload({ only }: Options): Promise<boolean> {
  // The load and PostgreSQL share the other core.
  pinThisProcess('other')
  const storage = await startStorage()
  const load = await startChild('other', ['bench/load/open-loop.ts'], {}, { awaitMessage: false })
  const second = await startChild('other', ['bench/load/open-loop.ts'], {}, { awaitMessage: false })
  const judged: Judged[] = []
  try {
    await seedEndpoints(storage.db)
    const server = await start(storage, 'ES256')
    try {
      for (const each of await openEndpoints(portOf(server), storage.db))
        if (each.name.includes(only)) judged.push(await overload(load, server, each))
    } finally {
      await stop(server)
    }
    for (const algorithm of ['ES256', 'RS256'] as const)
      if (`storm ${algorithm}`.includes(only)) judged.push(await storm(storage, load, second, algorithm))
    await writeOverload(judged)
    return judged.every(({ bars }) => bars.every(({ reached }) => reached))
  } finally {
    await load.stop()
    await second.stop()
    await storage.stop()
  }
}

async function overload(load: Child, server: Server, asked: Endpoint): Promise<Judged> {
  const capacity = await capacityOf(load, server, asked)
  const [during, after] = await run(load, server, asked, CONNECTIONS, [
    { perSecond: capacity * TIMES, seconds: LOAD_SECONDS },
    { perSecond: capacity / 10, seconds: AFTER_SECONDS },
  ])
  return print(judgeOverload(asked, capacity, LOAD_SECONDS, during, after))
}

/** One machine with both cores for everything, as a small deployment has it. */
async function storm(storage: BenchStorage, load: Child, second: Child, algorithm: Algorithm): Promise<Judged> {
  const server = await start(storage, algorithm, 'both')
  try {
    const endpoints = await openEndpoints(portOf(server), storage.db)
    const signIn = endpoints.find(({ name }) => name === 'sign-in')
    if (signIn === undefined) throw new Error('Nobody can sign in')
    const tokens = endpoint('token', 200, [clientCredentials()])
    const perSecond = (await capacityOf(load, server, tokens)) * TOKEN_SHARE
    const signIns = await capacityOf(second, server, signIn)
    const [calm] = await run(load, server, tokens, AT_ONCE, [{ perSecond, seconds: LOAD_SECONDS }])
    const crowd = run(second, server, signIn, CONNECTIONS, [
      { perSecond: signIns * STORM_TIMES, seconds: LOAD_SECONDS },
    ])
    const [stormy] = await run(load, server, tokens, CONNECTIONS, [{ perSecond, seconds: LOAD_SECONDS }])
    const [people] = await crowd
    return print(judgeStorm(`login storm, ${algorithm}`, perSecond, signIns, { calm, stormy, people }))
  } finally {
    await stop(server)
  }
}

async function capacityOf(load: Child, server: Server, asked: Endpoint): Promise<number> {
  const phases = [WARM_UP_SECONDS, LOAD_SECONDS / 2].map((seconds) => ({ atOnce: AT_ONCE, seconds }))
  const [, measured] = await run(load, server, asked, AT_ONCE, phases)
  return (measured?.accepted ?? 0) / (measured?.seconds ?? 1)
}

async function run(
  load: Child,
  server: Server,
  asked: Endpoint,
  connections: number,
  phases: Phase[],
): Promise<PhaseResult[]> {
  const { requests, expects, refreshTokens } = asked
  const order: OpenOrder = { port: portOf(server), connections, requests, expects, phases, refreshTokens }
  const answer = await load.ask(order)
  if (!isResult(answer)) throw new Error('The load generator answered something else')
  asked.refreshTokens = answer.refreshTokens
  return answer.phases
}

function isResult(answer: unknown): answer is OpenResult {
  return typeof answer === 'object' && answer !== null && 'phases' in answer && 'refreshTokens' in answer
}

function start(storage: BenchStorage, algorithm: Algorithm, cores: 'server' | 'both' = 'server'): Promise<Server> {
  // The throttle of sign-ins goes by address; everybody comes from another one.
  return startHandover(storage, { algorithm, cores, role: [], env: { HANDOVER_TRUST_PROXY: '1' } })
}

async function stop({ children }: Server): Promise<void> {
  await Promise.all(children.map((child) => child.stop()))
}

function portOf({ ports }: Server): number {
  return ports[0] ?? 0
}
