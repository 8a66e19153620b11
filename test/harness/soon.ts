import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/platform/db.ts'

/** For what has no time of its own to keep: only how long a test waits before it fails. */
export const PATIENCE_MS = 20_000

/** What a round takes on a machine that has time for us. */
const LONGEST_ROUND_MS = 60

/**
 * Waits until it is so, at most a second: what one process did, every other knows by then. Answers whether it came to be.
 * The second is one of a machine that has time for us: where a round takes longer than it should, everything else does too,
 * and the round counts as one of ordinary length.
 */
export async function soon(isSo: () => Promise<boolean>, withinMs = 1_000): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= withinMs; ) {
    const asked = performance.now()
    if (await isSo()) return true
    await sleep(20)
    waitedMs += Math.min(performance.now() - asked, LONGEST_ROUND_MS)
  }
  return false
}

/** As `soon`, of what is heard through the database: each round waits for its answer, for while it pauses nobody could have heard. */
export function soonHeard(db: Db, isSo: () => Promise<boolean>): Promise<boolean> {
  return soon(async () => {
    await db`select 1`
    return isSo()
  })
}

/** Measures how long something takes by itself. As in `soon`, a pause of the machine counts as a round of ordinary length. */
export function startWatch(): () => number {
  let ms = 0
  let last = performance.now()
  const count = () => {
    const now = performance.now()
    ms += Math.min(now - last, LONGEST_ROUND_MS)
    last = now
  }
  const ticking = setInterval(count, 20)
  ticking.unref()
  return () => {
    clearInterval(ticking)
    count()
    return ms
  }
}
