/**
 * Work that an answer does not wait for: what is done here, and whether anything is done, cannot be read from the time that
 * the answer took. It lives in this process only, so it is for what a person can ask for again, such as a mail.
 */
export type Afterwards = {
  run: (what: string, work: () => Promise<void>) => void
  /** Waits for what is under way and for what was still to come. */
  stop: () => Promise<void>
}

/** A mail server that hangs holds up this many; the rest wait, and when too many do, the newest are dropped. */
const AT_ONCE = 8
const MOST_WAITING = 1_000

export function startAfterwards(failed: (what: string, error: unknown) => void): Afterwards {
  const waiting: Array<{ what: string; work: () => Promise<void> }> = []
  const running = new Set<Promise<void>>()

  function startNext(): void {
    const next = running.size < AT_ONCE ? waiting.shift() : undefined
    if (next === undefined) return
    const run = new Promise((begin) => setImmediate(begin))
      .then(next.work)
      .catch((error: unknown) => failed(next.what, error))
      .finally(() => {
        running.delete(run)
        startNext()
      })
    running.add(run)
  }

  return {
    run(what, work) {
      if (waiting.length >= MOST_WAITING) return failed(what, new Error('Too much is waiting'))
      waiting.push({ what, work })
      startNext()
    },
    stop: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
