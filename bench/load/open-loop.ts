// A load generator whose arrivals do not wait for answers, in a process of its own.
import { type Answer, type Connection, openConnection } from './connection.ts'
import type { OpenOrder, OpenResult, Phase, PhaseResult } from './open-order.ts'
import type { LoadRequest } from './order.ts'

/** Nobody waits longer for an answer. */
const PATIENCE_MS = 10_000
/** The kernel drops what is sent over the loopback faster than it is taken off (net.core.netdev_max_backlog, 1,000), and repeats it seconds later. */
const BURST = 200
/** What still counts as an answer in time. */
const IN_TIME_MS = 1_000

async function carryOut(order: OpenOrder): Promise<OpenResult> {
  const free = await openConnections(order.port, order.connections)
  const waiting: Array<(connection: Connection) => void> = []
  const refreshTokens = [...order.refreshTokens]
  let number = Math.floor(Math.random() * 1e9)

  function take(): Promise<Connection> {
    const connection = free.pop()
    return connection ? Promise.resolve(connection) : new Promise((given) => waiting.push(given))
  }

  function giveBack(connection: Connection): void {
    const next = waiting.shift()
    if (next) next(connection)
    else free.push(connection)
  }

  async function one(request: LoadRequest, due: number): Promise<Answer | 'gave up' | 'broken'> {
    const connection = await take()
    const token = request.body.includes('{refresh}') ? refreshTokens.pop() : undefined
    if (performance.now() - due > PATIENCE_MS) {
      giveBack(connection)
      return 'gave up'
    }
    number += 1
    const answer = await connection.send(filled(request, number, token)).catch(() => null)
    giveBack(answer === null ? await openConnection(order.port) : connection)
    if (token !== undefined) refreshTokens.push(/"refresh_token":"([^"]+)"/.exec(answer?.body ?? '')?.[1] ?? token)
    return answer ?? 'broken'
  }

  async function run(phase: Phase): Promise<PhaseResult> {
    const started = performance.now()
    const latencies: number[] = []
    const shed: Record<string, number> = {}
    const failures: Record<string, number> = {}
    let withoutRetryAfter = 0
    let troubledUntilMs = 0
    let sent = 0

    async function arrive(request: LoadRequest, due: number): Promise<void> {
      const answer = await one(request, due)
      const took = performance.now() - due
      const isAccepted = typeof answer === 'object' && answer.status === order.expects
      if (isAccepted) latencies.push(took)
      else if (typeof answer === 'string') count(failures, answer)
      else if (answer.status === 429 || answer.status === 503) {
        count(shed, String(answer.status))
        if (!/\r\nretry-after: \d+/i.test(answer.head)) withoutRetryAfter += 1
      } else count(failures, `${answer.status} ${answer.body.slice(0, 80)}`)
      if (!isAccepted || took > IN_TIME_MS) troubledUntilMs = Math.max(troubledUntilMs, due - started)
    }

    function next(due: number): Promise<void> {
      const request = order.requests[sent % order.requests.length]
      if (request === undefined) throw new Error('There is nothing to ask')
      sent += 1
      return arrive(request, due)
    }

    const goesOn = () => performance.now() - started < phase.seconds * 1_000

    async function keepAsking(): Promise<void> {
      while (goesOn()) await next(performance.now())
    }

    async function keepArriving(perSecond: number): Promise<void> {
      const underWay: Array<Promise<void>> = []
      const due = () => started + (sent / perSecond) * 1_000
      while (goesOn()) {
        for (let burst = 0; burst < BURST && due() <= performance.now(); burst += 1) underWay.push(next(due()))
        await new Promise((soon) => (due() <= performance.now() ? setImmediate(soon) : setTimeout(soon, 1)))
      }
      await Promise.all(underWay)
    }

    if ('atOnce' in phase) await Promise.all(Array.from({ length: phase.atOnce }, keepAsking))
    else await keepArriving(phase.perSecond)
    latencies.sort((a, b) => a - b)
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
    const seconds = (performance.now() - started) / 1_000
    return {
      seconds,
      sent,
      accepted: latencies.length,
      p50: at(0.5),
      p99: at(0.99),
      shed,
      withoutRetryAfter,
      failures,
      troubledUntilMs,
    }
  }

  const results: PhaseResult[] = []
  for (const phase of order.phases) results.push(await run(phase))
  for (const connection of free) connection.close()
  return { phases: results, refreshTokens }
}

/** Not all at the same moment: more than its queue holds the kernel lets wait for seconds. */
async function openConnections(port: number, wanted: number): Promise<Connection[]> {
  const opened: Connection[] = []
  while (opened.length < wanted) {
    const next = Array.from({ length: Math.min(200, wanted - opened.length) }, () => openConnection(port))
    opened.push(...(await Promise.all(next)))
  }
  return opened
}

const PLACES = /\{n\}|\{refresh\}/
const withPlaces = new WeakMap<LoadRequest, boolean>()

function hasPlaces(request: LoadRequest): boolean {
  const found = withPlaces.get(request) ?? PLACES.test(JSON.stringify(request))
  withPlaces.set(request, found)
  return found
}

/** The same request again where there is nothing to fill in: the load must not be the limit. */
function filled(request: LoadRequest, number: number, token: string | undefined): LoadRequest {
  if (!hasPlaces(request)) return request
  const fill = (text: string) => text.replaceAll('{n}', String(number)).replaceAll('{refresh}', token ?? '')
  const headers = Object.entries(request.headers).map(([name, value]) => [name, fill(value)])
  return { ...request, path: fill(request.path), headers: Object.fromEntries(headers), body: fill(request.body) }
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1
}

process.on('message', (order: OpenOrder) => {
  carryOut(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
