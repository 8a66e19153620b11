import type { Counter } from 'prom-client'
import type { Log } from '../platform/log.ts'

const PAUSE_MS = 1_000

/** Counts what was turned away, and says so once a second at most: at once when it begins, and then how many there were. */
export function reportShed(log: Log, counter: Counter<'door'>, doors: readonly string[]): (door: string) => void {
  const counts = new Map(doors.map((door) => [door, counter.labels(door)]))
  // An increase is seen only where a number was seen before.
  for (const count of counts.values()) count.inc(0)
  let unsaid: Record<string, number> = {}
  let pause: NodeJS.Timeout | null = null

  function say(): void {
    pause = null
    if (Object.keys(unsaid).length === 0) return
    log.warn({ shed: unsaid }, 'overloaded: requests were turned away')
    unsaid = {}
    pause = setTimeout(say, PAUSE_MS).unref()
  }

  return (door) => {
    counts.get(door)?.inc()
    unsaid[door] = (unsaid[door] ?? 0) + 1
    if (pause === null) say()
  }
}
