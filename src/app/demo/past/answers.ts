import type { Attempt } from '../../../domain/deliveries/attempt-list-store.ts'

/** What a receiver of the past did with a request. */
export type Answer = Pick<Attempt, 'status' | 'error' | 'message' | 'durationMs' | 'responseHead' | 'responseBody'>

const JSON_HEAD = 'content-type: application/json; charset=utf-8'
const TEXT_HEAD = 'content-type: text/plain; charset=utf-8'

/** Why some were not taken; `head` and `body` are the receiver's. */
const REFUSALS = {
  410: { head: TEXT_HEAD, body: 'This address is not used any more.\n' },
  429: { head: `${JSON_HEAD}\nretry-after: 30`, body: '{"message":"Slow down."}' },
  500: { head: JSON_HEAD, body: '{"message":"The shift could not be stored."}' },
  503: { head: TEXT_HEAD, body: 'The payroll is closed for maintenance.\n' },
} as const

/** As the sender words them (decision D4). */
const FAILURES = {
  connect: { message: 'localhost could not be reached (ECONNREFUSED)', durationMs: 3 },
  reset: { message: 'localhost closed the connection before it answered', durationMs: 212 },
  timeout: { message: 'localhost did not answer within 15000 ms', durationMs: 15_001 },
} as const

/** `step` makes no two of them alike, and everything the same on every first start. */
export function taken(step: number): Answer {
  return {
    status: 200,
    error: null,
    message: null,
    durationMs: 35 + Math.round(120 * scattered(step) ** 3),
    responseHead: JSON_HEAD,
    responseBody: Buffer.from('{"received":true}'),
  }
}

export function refused(status: keyof typeof REFUSALS, step: number): Answer {
  const { head, body } = REFUSALS[status]
  const durationMs = 20 + Math.round(200 * scattered(step))
  return { status, error: null, message: null, durationMs, responseHead: head, responseBody: Buffer.from(body) }
}

export function broken(error: keyof typeof FAILURES): Answer {
  return { status: null, error, ...FAILURES[error], responseHead: null, responseBody: null }
}

/** From 0 to 1, without a pattern that the eye would see. */
export function scattered(step: number): number {
  return (Math.imul(step + 1, 2_654_435_761) >>> 0) / 2 ** 32
}
