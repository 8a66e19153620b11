import assert from 'node:assert/strict'
import type { Db } from '../../src/platform/db.ts'
import { PATIENCE_MS, soon } from './soon.ts'

/** Keeps whoever writes to a table waiting, so that a test can look at what is half done. */
export type TableLock = {
  /** Resolves when so many statements wait for the table. */
  waited: (count?: number) => Promise<void>
  release: () => Promise<void>
}

export function lockTable(db: Db, table: string): Promise<TableLock> {
  return lock(db, [table], 'share')
}

/** Keeps everybody waiting who needs one of the tables, to read or to write. */
export function holdTables(db: Db, tables: readonly string[]): Promise<TableLock> {
  return lock(db, tables, 'access exclusive')
}

async function lock(db: Db, tables: readonly string[], mode: 'share' | 'access exclusive'): Promise<TableLock> {
  const [table = ''] = tables
  const ready = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const held = db.begin(async (tx) => {
    // It says nothing for as long as the test needs it.
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`lock table ${tx(tables)} in ${tx.unsafe(mode)} mode`
    ready.resolve()
    await done.promise
  })
  await Promise.race([ready.promise, held])
  return {
    waited: async (count = 1) => {
      const isSo = async () => {
        const rows = await db`select 1 from pg_locks where relation = ${table}::regclass and not granted`
        return rows.length >= count
      }
      assert.ok(await soon(isSo, PATIENCE_MS), `nobody waits for ${table}`)
    },
    release: async () => {
      done.resolve()
      await held
    },
  }
}

/** A fault of ours, in the middle of whatever needs that table. */
export async function withoutTable<Value>(db: Db, table: string, work: () => Promise<Value>): Promise<Value> {
  await db`alter table ${db(table)} rename to hidden`
  try {
    return await work()
  } finally {
    await db`alter table hidden rename to ${db(table)}`
  }
}
