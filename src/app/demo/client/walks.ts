import { newOpaqueSecret } from '../../../platform/opaque-secret.ts'
import type { Walk } from './walk.ts'

/** Everybody's walks, under names that nobody can guess. They end with the process. */
export type Walks = {
  find: (id: string | null) => Walk | null
  /** Answers its id. */
  keep: (walk: Walk) => string
  forget: (id: string | null) => void
}

const MOST_KEPT = 100
export const LONGEST_WALK_SECONDS = 3_600

/** `now` in milliseconds. */
export function createWalks(now: () => number = Date.now): Walks {
  const kept = new Map<string, { walk: Walk; until: number }>()
  return {
    find: (id) => {
      const found = id === null ? undefined : kept.get(id)
      return found !== undefined && found.until > now() ? found.walk : null
    },
    keep: (walk) => {
      const id = newOpaqueSecret()
      kept.set(id, { walk, until: now() + LONGEST_WALK_SECONDS * 1_000 })
      // A map gives its keys in the order in which they came: the oldest goes first.
      const [oldest] = kept.keys()
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
      return id
    },
    forget: (id) => void (id !== null && kept.delete(id)),
  }
}
