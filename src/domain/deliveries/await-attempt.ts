import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { listAttempts } from './attempt-list-store.ts'

/** Somebody waits at a page; a receiver that takes longer is looked at later. */
const PATIENCE_MS = 4_000
const FIRST_PAUSE_MS = 30
const LONGEST_PAUSE_MS = 250

/** Whether another attempt than those that were known has come to its end by now. */
export async function untilAttempted(
  db: Db,
  delivery: { webhookId: string; deliveryId: string },
  known: number,
): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS
  for (let pause = FIRST_PAUSE_MS; performance.now() < until; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const [newest] = (await listAttempts(db, delivery, { before: null, limit: 1 })) ?? []
    if (newest !== undefined && newest.number > known) return true
    await sleep(pause)
  }
  return false
}
