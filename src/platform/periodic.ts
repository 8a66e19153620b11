import { setTimeout as sleep } from 'node:timers/promises'

/** Something that is done again and again until it is stopped. One turn never overlaps the next, and a failed turn is not the end. */
export type Periodic = {
  /** When the last turn ended, well or badly; a loop that hangs shows here. */
  lastTurnAt: () => number
  stop: () => Promise<void>
}

export function startPeriodic(everyMs: number, turn: () => Promise<void>, failed: (error: unknown) => void): Periodic {
  const stopping = new AbortController()
  let lastTurnAt = Date.now()

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await turn().catch(failed)
      lastTurnAt = Date.now()
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    lastTurnAt: () => lastTurnAt,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
