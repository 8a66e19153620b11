import type { ListenMeta } from 'postgres'
import type { Db } from './db.ts'
import { type Periodic, startPeriodic } from './periodic.ts'

/**
 * Wakes whoever waits for work, in this process at once and in others by NOTIFY. A ring may get lost, behind PgBouncer every
 * one does, so whoever listens also looks by itself from time to time.
 */
export type Bell = {
  /** Never waits. To be called after the commit: inside the transaction it would make commits wait for each other. */
  ring: () => void
  listen: (wake: () => void) => void
  stop: () => Promise<void>
}

/** Rings that come closer together than this reach other processes as one. */
const DEBOUNCE_MS = 20
/** The driver listens again once when its connection is lost, and gives up if that fails too. */
const LISTEN_AGAIN_MS = 10_000

/** `others` is false where NOTIFY cannot work; then only this process hears. */
export function hangBell(
  db: Db,
  channel: string,
  { others, failed }: { others: boolean; failed: (error: unknown) => void },
): Bell {
  const listeners = new Set<() => void>()
  const wakeAll = () => {
    for (const wake of listeners) wake()
  }
  let pending: NodeJS.Timeout | null = null
  let telling: Promise<unknown> = Promise.resolve()
  const tellOthers = () => {
    pending = null
    telling = db`select pg_notify(${channel}, '')`.catch(failed)
  }
  let ears: ListenMeta | null = null
  const hear = async () => {
    const before = ears
    ears = await db.listen(channel, wakeAll)
    await before?.unlisten()
  }
  let listening: Periodic | null = null
  return {
    ring() {
      wakeAll()
      if (others) pending ??= setTimeout(tellOthers, DEBOUNCE_MS)
    },
    listen(wake) {
      listeners.add(wake)
      if (others) listening ??= startPeriodic(LISTEN_AGAIN_MS, hear, failed)
    },
    async stop() {
      if (pending !== null) clearTimeout(pending)
      await Promise.all([telling, listening?.stop()])
      await ears?.unlisten().catch(failed)
    },
  }
}
