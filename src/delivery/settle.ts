import { setTimeout as sleep } from 'node:timers/promises'
import { type Attempted, settleDeliveries } from '../domain/deliveries/settle-store.ts'
import type { Db } from '../platform/db.ts'

/** Collects what came of attempts and writes it down in batches: while one batch is written, the next gathers. */
export type Settler = {
  add: (attempted: Attempted) => void
  /** Waits for what is being written; nothing more is. */
  stop: () => Promise<void>
}

const MOST_AT_ONCE = 500
const GATHER_MS = 5
const PAUSE_AFTER_FAILURE_MS = 200

export function createSettler(
  db: Db,
  settled: (attempted: Attempted, counted: boolean) => void,
  failed: (error: unknown) => void,
): Settler {
  let waiting: Attempted[] = []
  let writing: Promise<void> | null = null
  const stopping = new AbortController()

  async function writeAll(): Promise<void> {
    // A batch costs a millisecond before its first row; whoever was answered in the same moment goes along.
    await sleep(GATHER_MS)
    let most = MOST_AT_ONCE
    while (waiting.length > 0 && !stopping.signal.aborted) {
      const batch = waiting.slice(0, most)
      let counted: Set<string>
      try {
        counted = await settleDeliveries(db, batch)
        most = MOST_AT_ONCE
      } catch (error) {
        failed(error)
        // A database that is away needs time; one that refuses a row has answered.
        if (!isRefused(error)) await sleep(PAUSE_AFTER_FAILURE_MS)
        // Nothing is lost by waiting: the lease is kept alive, or another worker takes over and the fence refuses this. But one
        // that can never be written must not hold up the others, so they are tried by ever fewer until it is alone.
        most = Math.max(1, Math.floor(batch.length / 2))
        if (batch.length > 1 || !isRefused(error)) continue
        counted = new Set()
      }
      waiting = waiting.slice(batch.length)
      for (const attempted of batch) settled(attempted, counted.has(attempted.claim.id))
    }
  }

  function write(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = null
    })
    return writing
  }

  return {
    add(attempted) {
      if (stopping.signal.aborted) return
      waiting.push(attempted)
      void write()
    },
    stop: async () => {
      stopping.abort()
      await writing
    },
  }
}

/** What PostgreSQL says of data that it will never take: class 22, data exception, and 23, integrity constraint violation. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}
