import { setTimeout as sleep } from 'node:timers/promises'

/** Something that is done again and again until it is stopped. One turn never overlaps the next, and a failed turn is not the end. */
export type Periodic = {
  /** A turn has been going on for so long that it hangs. */
  stalled: () => boolean
  stop: () => Promise<void>
}

const STALLED_AFTER_MS = 15_000

export function startPeriodic(everyMs: number, turn: () => Promise<void>, failed: (error: unknown) => void): Periodic {
  const stopping = new AbortController()
  let turnBegan: number | null = null

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      turnBegan = Date.now()
      await turn().catch(failed)
      turnBegan = null
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    stalled: () => turnBegan !== null && Date.now() - turnBegan > STALLED_AFTER_MS,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
