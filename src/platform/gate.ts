/** Somebody in line: called when there is a place, or when the wait became too long. */
export type InLine = { go: () => void; refuse: () => void }

/**
 * So many at once; who comes then stands in line, first come first served. The line is never longer than what is let in within
 * the longest wait at the pace of the moment, so that nobody waits in vain for long (decision record 94).
 */
export type Gate = {
  /** Whether somebody who came now would be turned away. */
  full: () => boolean
  /** Takes a place if there is one, without standing in line. */
  tryEnter: () => boolean
  /** Answers how to step out of the line, which does nothing once it is somebody's turn. */
  standInLine: (one: InLine) => () => void
  /** Gives a place back. */
  leave: () => void
}

export type GateLimits = { atOnce: number; waiting: number; longestWaitMs: number }

const LOOK_EVERY_MS = 100

/** `makeRoom` is asked when there is none, and may give back places that are held in vain. */
export function createGate({ atOnce, waiting, longestWaitMs }: GateLimits, makeRoom: () => void = () => {}): Gate {
  const line = new Map<InLine, { since: number }>()
  let inside = 0
  /** How many may stand in line. */
  let room = waiting
  let letIn = 0
  let pace: number | null = null
  let lookedAt = 0
  let looking: NodeJS.Timeout | null = null

  function letNextIn(): void {
    const now = performance.now()
    for (const [one, { since }] of line) {
      line.delete(one)
      if (now - since > longestWaitMs) {
        one.refuse()
        continue
      }
      letIn += 1
      inside += 1
      // Not from here: whoever is done at once would let the next one in from within, and so on.
      queueMicrotask(one.go)
      return
    }
  }

  /** While somebody waits: how quickly it goes (Little's law), and who has waited for too long although nobody leaves. */
  function look(): void {
    const now = performance.now()
    // Where nobody was let in yet, one may be by and by: after a tenth of a second it is too early to say that nobody will be.
    const lately = (letIn === 0 ? 0.5 : letIn) / (now - lookedAt)
    pace = pace === null ? lately : (pace + lately) / 2
    room = Math.min(waiting, Math.ceil(pace * longestWaitMs))
    if (letIn > 0) lookedAt = now
    letIn = 0
    makeRoom()
    for (const [one, { since }] of line) {
      if (now - since <= longestWaitMs) break
      line.delete(one)
      one.refuse()
    }
    if (line.size === 0) forget()
  }

  function forget(): void {
    if (looking !== null) clearInterval(looking)
    looking = null
    pace = null
    room = waiting
  }

  return {
    full: () => inside >= atOnce && line.size >= room,

    tryEnter() {
      if (inside >= atOnce) makeRoom()
      if (inside >= atOnce || line.size > 0) return false
      inside += 1
      return true
    },

    standInLine(one) {
      if (looking === null) {
        lookedAt = performance.now()
        letIn = 0
        looking = setInterval(look, LOOK_EVERY_MS).unref()
      }
      line.set(one, { since: performance.now() })
      return () => void line.delete(one)
    },

    leave() {
      inside -= 1
      letNextIn()
    },
  }
}
