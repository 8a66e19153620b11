import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Message } from './message.ts'

/** What the local address made of a delivery; or the stage that failed, in the words of the delivery log, and for people. */
export type LocalAnswer = { durationMs: number } & (
  | { status: number; head: string; bodyStart: Buffer }
  | { error: string; message: string }
)

/** As for every receiver (decision D4). */
export const TOTAL_MS = 15_000
const BYTES_KEPT = 16 * 1_024
const HEAD_KEPT = 8 * 1_024

/** One POST with the very bytes and headers that a receiver would be sent. Redirects are answers like any other. */
export async function forward(
  { headers, body }: Pick<Message, 'headers' | 'body'>,
  url: URL,
  totalMs = TOTAL_MS,
): Promise<LocalAnswer> {
  const began = performance.now()
  const since = () => Math.round(performance.now() - began)
  const bytes = Buffer.from(body, 'utf8')
  const patience = AbortSignal.timeout(totalMs)
  try {
    const response = await send(url, headers, bytes, patience)
    const durationMs = since()
    const bodyStart = await readStart(response)
    return { durationMs, status: response.statusCode ?? 0, head: headOf(response.rawHeaders), bodyStart }
  } catch (error) {
    return { durationMs: since(), ...failureOf(error, url, patience.aborted, totalMs) }
  }
}

function send(url: URL, headers: Record<string, string>, bytes: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const make = url.protocol === 'https:' ? httpsRequest : httpRequest
    const request = make(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(bytes.length), connection: 'close' },
      agent: false,
      signal,
    })
    request.on('response', resolve).on('error', reject).end(bytes)
  })
}

/** The status counts, whatever becomes of the rest. */
async function readStart(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response) {
      const bytes = Buffer.from(chunk)
      chunks.push(bytes)
      length += bytes.length
      if (length >= BYTES_KEPT) break
    }
  } catch {
    // Broken off, or too slow: what came is kept.
  }
  response.destroy()
  return Buffer.concat(chunks).subarray(0, BYTES_KEPT)
}

function headOf(raw: readonly string[]): string {
  const lines = raw.flatMap((name, place) =>
    place % 2 === 0 ? [`${name.toLowerCase()}: ${raw[place + 1] ?? ''}`] : [],
  )
  return lines.join('\n').replaceAll('\0', '').slice(0, HEAD_KEPT)
}

function failureOf(error: unknown, { host, protocol }: URL, isLate: boolean, totalMs: number) {
  if (isLate) return { error: 'timeout', message: `${host} did not answer within ${totalMs / 1_000} s` }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ECONNREFUSED') return { error: 'connect', message: `nobody listens at ${host}` }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { error: 'dns', message: `${host} is a name that nobody knows` }
  if (code === 'ETIMEDOUT') return { error: 'connect-timeout', message: `${host} could not be reached in time` }
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return { error: 'reset', message: `${host} closed the connection before it answered` }
  if (/^(?:ERR_(?:SSL|TLS)|.*CERT|EPROTO|UNABLE_TO)/.test(code) && protocol === 'https:')
    return { error: 'tls', message: `${host} does not speak TLS that can be trusted (${code})` }
  if (code.startsWith('HPE_')) return { error: 'protocol', message: `${host} answered with something that is not HTTP` }
  return { error: 'connect', message: `${host} could not be reached (${code || 'no reason given'})` }
}
