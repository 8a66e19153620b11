/** What an attempt came to: the receiver's status line, or the stage that failed before there was one. */
export type AttemptResult = { status: number; retryAfterSeconds: number | null } | { error: string }

/** What becomes of the delivery, and what the webhook as a whole is to do about it. */
export type Verdict = {
  outcome: { kind: 'delivered' } | { kind: 'retry'; afterSeconds: number } | { kind: 'failed' }
  /** Nothing more to this webhook for so long, because the receiver asked for it. */
  pauseSeconds: number | null
  /** The receiver said that it is gone for good. */
  disable: boolean
}

const SECOND = 1
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** After each failed attempt the wait for the next (decision D5): ten attempts in all. */
export const WAITS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

/** So that a herd that failed together does not come back together. */
const JITTER = 0.2
const LONGEST_PAUSE_SECONDS = 24 * HOUR

/** `tries` counts this attempt too; `random` is from 0 to 1. Only 2xx is success; redirects are failures (decision D4). */
export function verdictOf(result: AttemptResult, tries: number, random: number): Verdict {
  if ('status' in result && result.status >= 200 && result.status < 300)
    return { outcome: { kind: 'delivered' }, pauseSeconds: null, disable: false }
  const pauseSeconds = pauseAskedFor(result)
  const wait = WAITS[tries - 1]
  return {
    outcome:
      wait === undefined
        ? { kind: 'failed' }
        : { kind: 'retry', afterSeconds: Math.max(wait * (1 + JITTER * random), pauseSeconds ?? 0) },
    pauseSeconds,
    disable: 'status' in result && result.status === 410,
  }
}

/** A floor for the whole webhook, and only from a receiver that says why: too many, or not now (decision D5). */
function pauseAskedFor(result: AttemptResult): number | null {
  if (!('status' in result) || (result.status !== 429 && result.status !== 503)) return null
  const { retryAfterSeconds } = result
  return retryAfterSeconds === null || retryAfterSeconds <= 0
    ? null
    : Math.min(retryAfterSeconds, LONGEST_PAUSE_SECONDS)
}

/** The three forms of RFC 9110 5.6.7, all of them UTC. `Date.parse` would take much else for a date. */
const HTTP_DATE = new RegExp(
  [
    /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
    /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
    /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** RFC 9110 10.2.3: seconds or a date. What is neither counts as not said. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const value = header?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  if (!HTTP_DATE.test(value)) return null
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(date) ? null : Math.ceil((date - now.getTime()) / 1_000)
}
