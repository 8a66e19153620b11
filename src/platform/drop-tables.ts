import type { Db } from './db.ts'
import { transaction } from './transaction.ts'

/**
 * Drops those of the tables that are still there, all or none, and answers which. Everybody who writes waits behind whoever
 * waits for a table, so we hardly do: when somebody reads one, or drops tables as well, the answer is `busy`, and the next
 * turn tries again.
 */
export async function dropTables(db: Db, names: readonly string[]): Promise<readonly string[] | 'busy'> {
  try {
    return await transaction(db, async (tx) => {
      await tx`set local lock_timeout = '100ms'`
      // One at a time: of two that drop the same partition, the second finds a table without a parent, which PostgreSQL
      // takes for a broken catalog (XX000), whether or not it is told `if exists`.
      await tx`select pg_advisory_xact_lock(hashtextextended('drop tables', 0))`
      // Not by to_regclass: it may answer by what this connection remembers of a table that is gone.
      const there = await tx<Array<{ name: string }>>`
        select relname as name from pg_class
        where relname = any(${[...names]}::text[]) and relkind = 'r' and pg_table_is_visible(oid)`
      for (const { name } of there) await tx`drop table ${tx(name)}`
      return there.map(({ name }) => name)
    })
  } catch (error) {
    if (isLockTimeout(error)) return 'busy'
    throw error
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}
