import type { Db } from '../../platform/db.ts'
import { startPeriodic } from '../../platform/periodic.ts'
import { settleBuckets } from './rate-bucket-store.ts'
import { type Bucket, type Charge, describeCharge, levelAt, type Rate } from './token-bucket.ts'

/**
 * Rate limits that several processes share without a round trip per request. Each process charges its own view of a bucket
 * at once; ten times a second it tells PostgreSQL what it spent, all buckets in one statement, and learns what the others
 * spent. The error is bounded: with P processes, at most (P - 1) bursts too many can pass before they hear of each other,
 * and because the shared level may go below zero they are paid back; over time no more than the rate passes.
 */
export type RateLimiter = {
  charge: (key: string, rate: Rate) => Charge
  stop: () => Promise<void>
}

const SETTLE_EVERY_MS = 100
/** A view that was not used for this long is full again and can be forgotten. */
const FORGET_AFTER_MS = 60_000
/** What has waited longer to be told was spent while the database was away. */
const LATE_MS = 1_000

/**
 * A bucket as this process sees it, by a clock that nobody sets. `unsettled` is what it has not told yet; since when there has
 * been something to tell that did not get through is `since`.
 */
type View = Bucket & { rate: Rate; unsettled: number; since: number | null; usedAt: number }

export function startRateLimiter(db: Db, failed: (error: unknown) => void): RateLimiter {
  const views = new Map<string, View>()

  async function settle(): Promise<void> {
    const now = performance.now()
    for (const [key, view] of views) if (now - view.usedAt > FORGET_AFTER_MS && view.unsettled === 0) views.delete(key)
    const settling = [...views]
      .filter(([, view]) => view.unsettled > 0)
      .map(([key, view]) => ({ key, view, rate: view.rate, spent: toTell(view, now) }))
    if (settling.length === 0) return
    for (const { view } of settling) view.unsettled = 0
    try {
      const levels = await settleBuckets(db, settling)
      for (const { key, view } of settling) {
        view.since = view.unsettled > 0 ? now : null
        const level = levels.get(key)
        if (level !== undefined) Object.assign(view, { level: level - view.unsettled, at: performance.now() })
      }
    } catch (error) {
      // Nothing is lost: it is told next time.
      for (const { view, spent } of settling) view.unsettled += spent
      throw error
    }
  }

  const loop = startPeriodic(SETTLE_EVERY_MS, settle, failed)

  return {
    charge(key, rate) {
      const now = performance.now()
      const view = views.get(key) ?? { level: rate.burst, at: now, rate, unsettled: 0, since: null, usedAt: now }
      views.set(key, view)
      const level = levelAt(view, rate, now)
      const allowed = level >= 1
      view.rate = rate
      view.usedAt = now
      view.level = allowed ? level - 1 : level
      view.at = now
      if (allowed) {
        view.unsettled += 1
        view.since ??= now
      }
      return describeCharge(view.level, rate, allowed, Date.now())
    },
    stop: loop.stop,
  }
}

/**
 * All that was spent, unless it waited for a database that was away: time has paid for most of that, here as it would have
 * there, and only what the bucket still lacks is a debt (decision record 93).
 */
function toTell({ level, at, rate, unsettled, since }: View, now: number): number {
  return now - (since ?? now) > LATE_MS
    ? Math.min(unsettled, rate.burst - levelAt({ level, at }, rate, now))
    : unsettled
}
