import { countAttempt, type FailureLimit } from '../../domain/limits/failure-store.ts'
import type { Db } from '../../platform/db.ts'
import { OAuthError } from './oauth-error.ts'

/**
 * Failed client authentication, throttled by application and address together: guessing from one address never blocks the
 * application on another (decision B14). The counts are shared in PostgreSQL and touched only by failures; each process
 * remembers whom it has to refuse, so right secrets cost nothing, and another process lets at most one more guess through.
 */
export type ClientFailures = {
  refuseThrottled: (clientId: string, address: string) => void
  count: (clientId: string, address: string) => Promise<void>
}

const PER_CLIENT_AND_ADDRESS = 20
const PER_ADDRESS = 300
const WINDOW_SECONDS = 60
const MOST_REMEMBERED = 10_000

export function createClientFailures(db: Db): ClientFailures {
  const refusedUntil = new Map<string, number>()

  function refuse(key: string, seconds: number): void {
    refusedUntil.set(key, Date.now() + seconds * 1_000)
    const oldest = refusedUntil.keys().next().value
    if (refusedUntil.size > MOST_REMEMBERED && oldest !== undefined) refusedUntil.delete(oldest)
  }

  return {
    refuseThrottled(clientId, address) {
      if (refusedUntil.size === 0) return
      const key = pairKey(clientId, address)
      const until = refusedUntil.get(key)
      if (until === undefined) return
      const seconds = Math.ceil((until - Date.now()) / 1_000)
      if (seconds > 0) throw tooMany(seconds)
      refusedUntil.delete(key)
    },

    async count(clientId, address) {
      const limits: FailureLimit[] = [
        { key: pairKey(clientId, address), failures: PER_CLIENT_AND_ADDRESS, windowSeconds: WINDOW_SECONDS },
        { key: `client authentication from ${address}`, failures: PER_ADDRESS, windowSeconds: WINDOW_SECONDS },
      ]
      const attempt = await countAttempt(db, limits)
      if (attempt.allowed) return
      refuse(pairKey(clientId, address), attempt.retryAfterSeconds)
      throw tooMany(attempt.retryAfterSeconds)
    },
  }
}

/** The id may be anything a stranger typed; only so much of it is kept. */
function pairKey(clientId: string, address: string): string {
  return `client ${clientId.slice(0, 64)} from ${address}`
}

function tooMany(seconds: number): OAuthError {
  return new OAuthError(
    429,
    'too_many_requests',
    `Client authentication failed too often. Try again in ${seconds} s.`,
    {
      headers: { 'retry-after': String(seconds) },
      reason: 'Client authentication failed too often from this address.',
    },
  )
}
