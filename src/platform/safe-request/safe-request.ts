import type { Readable } from 'node:stream'
import { type FailureKind, failureOn, RequestFailed } from './request-failed.ts'
import { type Connection, type SafeAgent, type StillWanted, Withdrawn } from './safe-agent.ts'

export type SafeRequest = {
  /** As `readTarget` answered it. */
  url: URL
  method: string
  headers: Record<string, string>
  body: Buffer | string | null
  /** For everything: name, connection, TLS, headers and what is read of the body. 15 s unless told. */
  totalMs?: number
  /** Of the body, as it came: nothing is decompressed. */
  keepBytes: number
  /** When it answers false nothing is sent, and the request is thrown as `Withdrawn`. */
  stillWanted?: StillWanted
  /** Called once the request is on its way over a connection that stands. */
  left?: () => void
}

export type SafeAnswer = {
  kind: 'answered'
  status: number
  /** By lower-case name; any that came more than once is a list. */
  headers: Record<string, string | string[] | undefined>
  bodyStart: Buffer
  /** Until the headers were in. */
  durationMs: number
  address: string
}

export type SafeRequestOutcome =
  | SafeAnswer
  | { kind: 'failed'; error: FailureKind; message: string; durationMs: number }

const TOTAL_MS = 15_000
const BODY_GRACE_MS = 1_000

/**
 * One request to a host that somebody else chose. Whatever the network does is an outcome and never thrown. The status line
 * decides (decision D4), so a body is read for a moment only: a receiver that drips it or never ends it loses its
 * connection, and holds up nobody.
 */
export async function safeRequest(agent: SafeAgent, request: SafeRequest): Promise<SafeRequestOutcome> {
  const { url, method, headers, body, totalMs = TOTAL_MS, keepBytes, stillWanted, left } = request
  const began = performance.now()
  const connection = agent.take(url.origin, stillWanted)
  const outOfTime = () => new RequestFailed('timeout', `${url.hostname} did not answer within ${totalMs} ms`)
  const limit = setTimeout(() => void connection.cut(outOfTime()), totalMs)
  if (left !== undefined) onceLeft(connection, left)
  try {
    const response = await connection.client.request({ path: url.pathname + url.search, method, headers, body })
    const durationMs = Math.round(performance.now() - began)
    const start = await startOf(response.body, keepBytes)
    if (start.complete) connection.giveBack()
    else await connection.cut()
    return {
      kind: 'answered',
      status: response.statusCode,
      headers: response.headers,
      bodyStart: start.bytes,
      durationMs,
      address: connection.address(),
    }
  } catch (error) {
    await connection.cut()
    if (error instanceof Withdrawn) throw error
    const { kind, message } = failureOn(url.hostname, error)
    return { kind: 'failed', error: kind, message, durationMs: Math.round(performance.now() - began) }
  } finally {
    clearTimeout(limit)
  }
}

/** A connection that stands is written to in the same turn; one that is still to be made, as soon as it is. */
function onceLeft({ client }: Connection, left: () => void): void {
  if (client.stats.connected) setImmediate(left)
  else client.once('connect', () => setImmediate(left))
}

/** Complete when the other side ended the body in time and it was no longer than what is kept; what failed on the way is cut off. */
async function startOf(body: Readable, keepBytes: number): Promise<{ bytes: Buffer; complete: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  const complete = await new Promise<boolean>((resolve) => {
    const grace = setTimeout(() => finish(false), BODY_GRACE_MS)
    const finish = (ended: boolean) => {
      clearTimeout(grace)
      body.off('data', take)
      resolve(ended)
    }
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > keepBytes) finish(false)
    }
    body
      .on('data', take)
      .once('end', () => finish(true))
      .on('error', () => finish(false))
  })
  // Copied, because a slice would hold on to the whole chunk.
  return { bytes: Buffer.concat(chunks, Math.min(size, keepBytes)), complete }
}
