import { setTimeout as sleep } from 'node:timers/promises'
import { type Attempted, settleDeliveries } from '../domain/deliveries/settle-store.ts'
import type { Db } from '../platform/db.ts'

/** Collects what came of attempts and writes it down in batches: while one batch is written, the next gathers. */
export type Settler = {
  add: (attempted: Attempted) => void
  /** Waits until everything is written. */
  drain: () => Promise<void>
}

const MOST_AT_ONCE = 500
const PAUSE_AFTER_FAILURE_MS = 200

export function createSettler(
  db: Db,
  settled: (attempted: Attempted, counted: boolean) => void,
  failed: (error: unknown) => void,
): Settler {
  const waiting: Attempted[] = []
  let writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      try {
        const counted = await settleDeliveries(db, batch)
        waiting.splice(0, batch.length)
        for (const attempted of batch) settled(attempted, counted.has(attempted.claim.id))
      } catch (error) {
        // Nothing is lost by waiting: the lease is kept alive, or another worker takes over and the fence refuses this.
        failed(error)
        await sleep(PAUSE_AFTER_FAILURE_MS)
      }
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
      waiting.push(attempted)
      void write()
    },
    drain: async () => {
      while (waiting.length > 0) await write()
    },
  }
}
