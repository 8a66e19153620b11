import type { Db } from '../../platform/db.ts'
import { startPeriodic } from '../../platform/periodic.ts'
import { settleBuckets } from './rate-bucket-store.ts'
import { type Charge, describeCharge, levelAt, type Rate } from './token-bucket.ts'

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

type View = { level: number; at: number; rate: Rate; unsettled: number; settling: number; usedAt: number }

export function startRateLimiter(db: Db, failed: (error: unknown) => void): RateLimiter {
  const views = new Map<string, View>()

  async function settle(): Promise<void> {
    const now = Date.now()
    const spent = [...views].filter(([, view]) => view.unsettled > 0)
    for (const [key, view] of views) if (now - view.usedAt > FORGET_AFTER_MS && view.unsettled === 0) views.delete(key)
    if (spent.length === 0) return
    for (const [, view] of spent) {
      view.settling = view.unsettled
      view.unsettled = 0
    }
    try {
      const levels = await settleBuckets(
        db,
        spent.map(([key, { settling, rate }]) => ({ key, spent: settling, rate })),
      )
      for (const [key, view] of spent) {
        view.level = levels.get(key) ?? view.level
        view.at = Date.now()
        view.settling = 0
      }
    } catch (error) {
      // Nothing is lost: it is told next time.
      for (const [, view] of spent) {
        view.unsettled += view.settling
        view.settling = 0
      }
      throw error
    }
  }

  const loop = startPeriodic(SETTLE_EVERY_MS, settle, failed)

  return {
    charge(key, rate) {
      const now = Date.now()
      const view = views.get(key) ?? { level: rate.burst, at: now, rate, unsettled: 0, settling: 0, usedAt: now }
      views.set(key, view)
      view.rate = rate
      view.usedAt = now
      const level = levelAt(view, rate, now) - view.unsettled - view.settling
      const allowed = level >= 1
      if (allowed) view.unsettled += 1
      return describeCharge(allowed ? level - 1 : level, rate, allowed, now)
    },
    stop: loop.stop,
  }
}
