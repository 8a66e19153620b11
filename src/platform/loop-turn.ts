import { sendUnsent } from './unsent.ts'

/** Longer than the turns of a process that keeps up. */
const LONG_MS = 10

/**
 * Tells of each arrival whether it comes late in a turn of the event loop: when a few came before it in the same turn, and the first of
 * them longer ago than that. What is read late in a turn lay in its socket for about so long, but for a crowd of thousands, of which some
 * came meanwhile; nothing else tells, since the kernel does not say when it came. A delay that is sampled by a timer says so a turn too
 * late. In a long turn it also sends what was put off to its end (decision record 94).
 */
export function watchTurns(few: number): (longestMs: number) => boolean {
  let began: number | null = null
  let arrived = 0
  const endTurn = () => {
    began = null
  }
  return (longestMs) => {
    if (began === null) {
      began = performance.now()
      arrived = 0
      setImmediate(endTurn)
    }
    arrived += 1
    const tookMs = performance.now() - began
    // Who came in time is not to wait for the end of such a turn.
    if (tookMs > LONG_MS) sendUnsent()
    // A pause of the process, or a cold start, is no crowd.
    return arrived > few && tookMs > longestMs
  }
}
