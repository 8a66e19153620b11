import { setTimeout as sleep } from 'node:timers/promises'

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
