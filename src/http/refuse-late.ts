import type { IncomingMessage, ServerResponse } from 'node:http'
import { watchTurns } from '../platform/loop-turn.ts'
import { AT_ONCE, lateAfterMs, OVERLOADED } from './admission.ts'
import type { Door } from './door.ts'
import { requestId } from './request-id.ts'
import { headersOfEveryAnswer } from './security-headers.ts'

/**
 * Where an answer costs little, turning somebody away must cost less, or a crowd takes all the time there is: addresses that a door
 * names for it are refused before the router, with an answer that was written at the start (decision record 94).
 */
export function refuseLate(
  doors: readonly Door[],
  options: { https: boolean; longestWaitMs: number; refused: (door: string) => void },
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const quick = new Map(
    doors.flatMap(({ name, quickRefusals = [] }) =>
      quickRefusals.flatMap(({ addresses, headers, body }) => {
        const refusal = { name, body, heads: headsOf({ ...headersOfEveryAnswer(options), ...headers }) }
        return [...addresses].map((path) => [path, refusal] as const)
      }),
    ),
  )
  const isLate = watchTurns(AT_ONCE)
  const lateMs = lateAfterMs(options.longestWaitMs)
  return (request, response) => {
    if (!isLate(lateMs)) return false
    const path = request.url?.split('?', 1)[0] ?? ''
    const refusal = quick.get(path)
    if (refusal === undefined) return false
    const id = requestId(request)
    const body = refusal.body(id)
    const head = refusal.heads[Math.floor(Math.random() * refusal.heads.length)] ?? []
    response.writeHead(503, [...head, 'content-length', Buffer.byteLength(body), 'x-request-id', id])
    response.end(body)
    options.refused(refusal.name)
    return true
  }
}

/** In one list, names and values by turns, as node:http writes it with the least work; with each of the pauses that are asked for. */
function headsOf(headers: Record<string, string>): string[][] {
  return OVERLOADED.map((problem) => Object.entries({ ...headers, ...problem.headers }).flat())
}

/** An answer that differs in the request's id alone, put together once. The id is a plain short name (`request-id.ts`). */
export function writtenAhead(answer: (requestId: string) => string): (requestId: string) => string {
  const parts = answer(PLACE).split(PLACE)
  return (id) => parts.join(id)
}

const PLACE = 'req_here'
