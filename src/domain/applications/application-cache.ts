import type { Db } from '../../platform/db.ts'
import { findApplication, type RegisteredApplication } from './application-store.ts'

/**
 * Applications as this process holds them, so that a token costs no read. What was announced as changed is forgotten, also
 * while it is still being read: that read may be older than the change, so it is used by who waits for it and not kept.
 */
export type ApplicationCache = {
  find: (id: string) => Promise<RegisteredApplication | null>
  forget: (id: string) => void
}

const MOST = 10_000

export function createApplicationCache(db: Db): ApplicationCache {
  const held = new Map<string, Promise<RegisteredApplication | null>>()

  function read(id: string): Promise<RegisteredApplication | null> {
    const reading = findApplication(db, id)
    held.set(id, reading)
    const drop = () => held.get(id) === reading && held.delete(id)
    // A failed read is not kept; nor is an unknown id, or anyone could fill the memory with them.
    reading.then((application) => application ?? drop(), drop)
    for (const oldest of held.keys()) {
      if (held.size <= MOST) break
      held.delete(oldest)
    }
    return reading
  }

  return {
    find: (id) => held.get(id) ?? read(id),
    forget: (id) => void held.delete(id),
  }
}
