import assert from 'node:assert/strict'
import type { Db } from '../../src/platform/db.ts'
import { PATIENCE_MS, soon } from './soon.ts'

/**
 * Waits until the database has noticed that a process is gone. What that had sent is carried out even after a kill; from now on
 * it is done or undone, and holds nothing.
 */
export async function untilForgotten(db: Db, pid: number): Promise<void> {
  const isSo = async () => {
    const rows = await db`
      select 1 from pg_stat_activity where datname = current_database() and application_name = ${`handover ${pid}`}`
    return rows.length === 0
  }
  assert.ok(await soon(isSo, PATIENCE_MS), `the database still has sessions of process ${pid}`)
}
