import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Connection } from '../connection.ts'
import { Unreachable } from '../http-call.ts'
import { numberOf, parsedJson } from '../json-value.ts'
import { refusalOf } from '../refused.ts'
import { eventReader, type StreamEvent } from './event-lines.ts'

/** Why a stream is over: the service said so, the connection broke or fell silent, the token wants renewal, or we are to stop. */
export type StreamEnd = 'replaced' | 'deleted' | 'expired' | 'stopping' | 'lost' | 'renew' | 'interrupted'

export type StreamTiming = {
  /** The service says something every ten seconds; who says nothing for so long is gone, and be it without a word. */
  silenceMs: number
}

const SAID_ENDS = ['replaced', 'deleted', 'expired', 'stopping'] as const
/** A token is replaced so long before it ends, or a tenth of what is left of it. */
const SPARE_SECONDS = 60

type Taking = { waiting: (data: unknown) => void; delivery: (data: unknown) => void }

/**
 * One connection from beginning to end. Thrown are `Unreachable`, when there was no answer, and `Refused`, when it was no.
 */
export async function readStream(
  connection: Connection,
  name: string,
  take: Taking,
  { silenceMs }: StreamTiming,
  interrupted: AbortSignal,
): Promise<StreamEnd> {
  const ending = new AbortController()
  let end: StreamEnd = 'lost'
  const finish = (why: StreamEnd) => {
    if (ending.signal.aborted) return
    end = why
    ending.abort()
  }
  const onInterrupt = () => finish('interrupted')
  interrupted.addEventListener('abort', onInterrupt)
  let silence = setTimeout(finish, silenceMs, 'lost')
  let renewal: NodeJS.Timeout | undefined

  const onEvent = ({ event, data }: StreamEvent): void => {
    const said = SAID_ENDS.find((each) => each === event)
    if (said !== undefined) return finish(said)
    if (event === 'delivery') return take.delivery(data)
    if (event !== 'waiting') return
    const seconds = numberOf(data, 'tokenExpiresIn') ?? 3_600
    renewal = setTimeout(finish, Math.max(1, seconds - Math.min(SPARE_SECONDS, seconds / 10)) * 1_000, 'renew')
    take.waiting(data)
  }

  try {
    if (interrupted.aborted) return 'interrupted'
    const response = await openResponse(connection, name, ending.signal)
    const read = eventReader(onEvent)
    const decoder = new TextDecoder()
    for await (const chunk of response) {
      clearTimeout(silence)
      silence = setTimeout(finish, silenceMs, 'lost')
      read(decoder.decode(Buffer.from(chunk), { stream: true }))
      if (ending.signal.aborted) break
    }
    return end
  } catch (error) {
    if (ending.signal.aborted) return end
    if (isBroken(error)) return 'lost'
    throw error
  } finally {
    clearTimeout(silence)
    clearTimeout(renewal)
    interrupted.removeEventListener('abort', onInterrupt)
    ending.abort()
  }
}

/** A token that is refused is replaced once; then no means no. */
async function openResponse(
  { baseUrl, accessToken }: Connection,
  name: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(`${baseUrl}/api/v2/public/sandbox/listeners/${name}/stream`)
  const token = await accessToken()
  let response = await ask(url, token, signal)
  if (response.statusCode === 401) {
    response.destroy()
    response = await ask(url, await accessToken(token), signal)
  }
  const { statusCode: status = 0, headers } = response
  if (status === 200) return response
  const retryAfter = headers['retry-after']
  const told = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter })
  throw refusalOf({ status, headers: told, json: parsedJson(await text(response)) }, baseUrl)
}

/**
 * Not by `fetch`: its connections are kept and used again. Asked for by one that died without a word, a stream could be opened
 * minutes later, when the network is back, and take over from the one that was opened meanwhile. Redirects are not followed,
 * so whatever sends us elsewhere does not get the token.
 */
function ask(url: URL, token: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const make = url.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'user-agent': 'Handover-CLI/1.0',
      connection: 'close',
    }
    make(url, { headers, signal }).on('response', resolve).on('error', reject).end()
  })
}

/** A connection that cannot be made or breaks has a code of the system's; so has what we do wrong, but that is a TypeError. */
function isBroken(error: unknown): boolean {
  if (error instanceof OperatorError) return error instanceof Unreachable
  return error instanceof Error && 'code' in error && !(error instanceof TypeError || error instanceof RangeError)
}
