import { type Bucket, levelAt, type Rate } from '../limits/token-bucket.ts'

/** How much of what happens is kept. */
export type Allowances = {
  /** Answers how many of the same kind and name were left out before this one, or null when this one is left out too. */
  take: (kind: Kind, name: string, now: number) => number | null
}

/** `claimed`: refused, and from an application only as far as somebody says so. */
export type Kind = 'refused' | 'done' | 'claimed'

/** For each name: a burst while somebody tries things out, then a sample, and rather refusals than successes. */
const EACH: Record<Kind, Rate> = {
  refused: { perSecond: 1 / 3, burst: 100 },
  done: { perSecond: 1 / 10, burst: 60 },
  claimed: { perSecond: 1 / 3, burst: 100 },
}

/**
 * For all names of a kind: whoever knows the ids of many applications cannot fill the disk either, and whoever makes them up
 * takes nobody's room.
 */
const TOGETHER: Record<Kind, Rate> = {
  refused: { perSecond: 20, burst: 10_000 },
  done: { perSecond: 20, burst: 10_000 },
  claimed: { perSecond: 5, burst: 200 },
}

/** Whoever was not seen for the longest is forgotten and begins anew; the limit for all of them holds nevertheless. */
const MOST_REMEMBERED = 10_000

/** Of this process alone; another one keeps as much again. */
export function createAllowances(): Allowances {
  const each = new Map<string, Bucket & { leftOut: number }>()
  const together = new Map<Kind, Bucket>()

  return {
    take(kind, name, now) {
      const key = `${kind} ${name}`
      const own = each.get(key) ?? { level: EACH[kind].burst, at: now, leftOut: 0 }
      const all = together.get(kind) ?? { level: TOGETHER[kind].burst, at: now }
      const [ownNow, allNow] = [later(own, now), later(all, now)]
      const [ownLevel, allLevel] = [levelAt(own, EACH[kind], ownNow), levelAt(all, TOGETHER[kind], allNow)]
      const kept = ownLevel >= 1 && allLevel >= 1
      const taken = kept ? 1 : 0
      together.set(kind, { level: allLevel - taken, at: allNow })
      each.delete(key)
      each.set(key, { level: ownLevel - taken, at: ownNow, leftOut: kept ? 0 : own.leftOut + 1 })
      const [oldest] = each.size > MOST_REMEMBERED ? each.keys() : []
      if (oldest !== undefined) each.delete(oldest)
      return kept ? own.leftOut : null
    },
  }
}

/** A clock that goes back gives nothing and takes nothing. */
function later({ at }: Bucket, now: number): number {
  return Math.max(at, now)
}
