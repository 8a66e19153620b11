import { type Clock, clockSkewSeconds } from '../platform/clock.ts'
import { DATABASE_PATIENCE_MS, type Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { startPeriodic } from '../platform/periodic.ts'
import { within } from '../platform/within.ts'

export type Worker = { alive: () => boolean; stop: () => Promise<void> }

const EVERY_MS = 5_000
const STALLED_AFTER_MS = 3 * EVERY_MS
/** Signed timestamps and token lifetimes are read by others; beyond this they begin to notice. */
const SKEW_WARNING_SECONDS = 2

/** What goes on without anybody asking. For now: watching this machine's clock against the database's (decision A7). */
export function startWorker({ db, clock, metrics, log }: { db: Db; clock: Clock; metrics: Metrics; log: Log }): Worker {
  const watch = startPeriodic(
    EVERY_MS,
    async () => {
      const skew = await within(DATABASE_PATIENCE_MS, 'Asking the database for its time', clockSkewSeconds(db, clock))
      metrics.clockSkewSeconds.set(skew)
      if (Math.abs(skew) > SKEW_WARNING_SECONDS)
        log.warn({ skewSeconds: skew }, "this machine's clock differs from the database's")
    },
    (error) => log.warn({ err: error }, "the database's clock could not be read"),
  )
  return { alive: () => Date.now() - watch.lastTurnAt() < STALLED_AFTER_MS, stop: watch.stop }
}
