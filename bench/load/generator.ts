// The load generator, in a process of its own. It takes orders from its parent, one at a time.
import { type Answer, type Connection, openConnection } from './connection.ts'
import type { LoadRequest, LoadResult, Order } from './order.ts'

async function carryOut(order: Order): Promise<LoadResult> {
  const ports = Array.from(
    { length: order.connections },
    (_, position) => order.ports[position % order.ports.length] ?? 0,
  )
  const connections = await Promise.all(ports.map(openConnection))
  const latencies: number[] = []
  const failures: Record<string, number> = {}
  const refreshTokens = order.refreshTokens === null ? null : [...order.refreshTokens]
  const started = performance.now()
  const until = started + order.seconds * 1_000

  async function keepAsking(connection: Connection, position: number): Promise<void> {
    for (let now = performance.now(), turn = position; now < until; turn += order.connections) {
      const next = order.requests[turn % order.requests.length]
      if (next === undefined) throw new Error('There is nothing to ask')
      const token = refreshTokens?.[position]
      const request = token === undefined ? next : { ...next, body: `${next.body}&refresh_token=${token}` }
      const { status, body } = await askFor(connection, request, order.codes)
      const after = performance.now()
      latencies.push(after - now)
      now = after
      if (status < 200 || status > 299)
        failures[`${status} ${body.slice(0, 80)}`] = (failures[`${status} ${body.slice(0, 80)}`] ?? 0) + 1
      else if (refreshTokens !== null) refreshTokens[position] = /"refresh_token":"([^"]+)"/.exec(body)?.[1] ?? ''
    }
  }

  await Promise.all(connections.map(keepAsking))
  const seconds = (performance.now() - started) / 1_000
  for (const connection of connections) connection.close()
  latencies.sort((one, other) => one - other)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return { completed: latencies.length, seconds, p50: at(0.5), p99: at(0.99), failures, refreshTokens }
}

/** One request, or a redirect with a code and what is posted with it: one after the other, as a browser and an application do. */
async function askFor(connection: Connection, request: LoadRequest, codes: Order['codes']): Promise<Answer> {
  const answer = await connection.send(request)
  if (codes === undefined) return answer
  const code = /\r\nlocation: [^\r]*[?&]code=([^&\r]+)/i.exec(answer.head)?.[1]
  if (code === undefined)
    return { ...answer, body: `no code: ${/\r\nlocation: [^\r?]*/i.exec(answer.head)?.[0] ?? ''}` }
  if (codes.exchange === null) return { ...answer, status: 200 }
  return connection.send({ ...codes.exchange, body: `${codes.exchange.body}&code=${code}` })
}

process.on('message', (order: Order) => {
  carryOut(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
