import type { Connection } from '../connection.ts'
import { Unreachable } from '../http-call.ts'
import { numberOf } from '../json-value.ts'
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
    for await (const chunk of response.body ?? []) {
      clearTimeout(silence)
      silence = setTimeout(finish, silenceMs, 'lost')
      read(decoder.decode(chunk, { stream: true }))
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
): Promise<Response> {
  const ask = (token: string) =>
    fetch(`${baseUrl}/api/v2/public/sandbox/listeners/${name}/stream`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}`, 'user-agent': 'Handover-CLI/1.0' },
      // Whatever sends us elsewhere must not get the token.
      redirect: 'manual',
      signal,
    })
  const token = await accessToken()
  let response = await ask(token)
  if (response.status === 401) {
    await response.body?.cancel()
    response = await ask(await accessToken(token))
  }
  if (response.status === 200) return response
  const text = await response.text()
  throw refusalOf({ status: response.status, headers: response.headers, json: parsed(text) }, baseUrl)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What `fetch` throws when a connection cannot be made or breaks; what we did wrong ourselves is no TypeError with a cause. */
function isBroken(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof TypeError && error.cause !== undefined)
}
