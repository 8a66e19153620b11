import type { LoadRequest } from './order.ts'

/** Arrivals at a fixed rate, whatever becomes of those before: what a crowd does that does not know of itself. */
export type OpenOrder = {
  port: number
  connections: number
  /** One after the other. In a request `{n}` is another number each time, and `{refresh}` a refresh token that is free. */
  requests: LoadRequest[]
  /** What an answer has that was accepted. */
  expects: number
  phases: Phase[]
  refreshTokens: string[]
}

/** So many a second whatever happens, or so many at once, each sent when the one before is answered: what the server can do. */
export type Phase = { seconds: number } & ({ perSecond: number } | { atOnce: number })

/** Milliseconds count from the moment the request was due, not from the one it could be sent. */
export type PhaseResult = {
  /** Until the last answer. */
  seconds: number
  sent: number
  accepted: number
  p50: number
  p99: number
  /** 429 and 503, by status. */
  shed: Record<string, number>
  /** Those of them that did not say when to come back. */
  withoutRetryAfter: number
  /** Any other answer, none within ten seconds, and connections that broke. */
  failures: Record<string, number>
  /** When the last one was due that was not accepted within a second, from the beginning of the phase; 0 if all were. */
  troubledUntilMs: number
}

/** With the refresh tokens that are good now. */
export type OpenResult = { phases: PhaseResult[]; refreshTokens: string[] }
