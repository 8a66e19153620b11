import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, DbOrTransaction } from './db.ts'
import { OperatorError } from './operator-error.ts'
import { retriedTransaction } from './retried-transaction.ts'

/** Numbered SQL files, forward only, never edited after landing: `0001-people-and-applications.sql`. */
export type Migration = { number: number; name: string; sql: string; checksum: string }

export type MigrationState = 'done' | 'pending' | 'newer'

/** Any 64-bit number will do, as long as every version of the program takes the same one. */
const MIGRATION_LOCK = 4_861_766_101
/** Another instance may be in the middle of a long migration; after this we give up and say so. */
const LOCK_PATIENCE_SECONDS = 60

export async function readMigrations(folder: string): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  return Promise.all(
    files.map(async (file, position) => {
      const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1])
      if (number !== position + 1) throw new Error(`${file} breaks the sequence of the migrations`)
      const sql = await readFile(join(folder, file), 'utf8')
      return { number, name: file.slice(5, -4), sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Applies what is missing and returns its numbers. Each migration is a transaction of its own that first takes a
 * transaction-level advisory lock (a session-level one would not survive PgBouncer) and looks again, so that many
 * instances may start at once and each migration runs once.
 */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<number[]> {
  await locked(db, createLedgerTable)
  await requireKnownHistory(db, migrations)
  const applied: number[] = []
  for (const migration of migrations) {
    if (await locked(db, (tx) => applyMissing(tx, migration))) applied.push(migration.number)
  }
  return applied
}

/** As `migrate`, within a transaction of the caller's: all of it or nothing. Others who migrate wait until it ends. */
export async function migrateWithin(tx: DbOrTransaction, migrations: readonly Migration[]): Promise<void> {
  await lockMigrations(tx)
  await createLedgerTable(tx)
  await requireKnownHistory(tx, migrations)
  for (const migration of migrations) await applyMissing(tx, migration)
}

/** Held until the transaction ends. Whoever starts meanwhile waits, and gives up after a minute. */
export async function lockMigrations(tx: DbOrTransaction): Promise<void> {
  await tx.unsafe(`set local lock_timeout = '${LOCK_PATIENCE_SECONDS}s'; set local statement_timeout = 0`).simple()
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
}

export async function migrationState(db: DbOrTransaction, migrations: readonly Migration[]): Promise<MigrationState> {
  const [row] = await db<[{ newest: number }]>`select coalesce(max(number), 0)::int as newest from schema_migrations`
  if (row.newest > migrations.length) return 'newer'
  return row.newest === migrations.length ? 'done' : 'pending'
}

async function createLedgerTable(tx: DbOrTransaction): Promise<void> {
  await tx`
    create table if not exists schema_migrations (
      number int primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`
}

async function requireKnownHistory(db: DbOrTransaction, migrations: readonly Migration[]): Promise<void> {
  const history = await db<Array<{ number: number; name: string; checksum: string }>>`
    select number, name, checksum from schema_migrations order by number`
  const newest = history.at(-1)
  if (newest && newest.number > migrations.length) {
    throw new OperatorError(
      `The database is at migration ${newest.number} (${newest.name}), this program knows only ${migrations.length}. Start the newer version of Handover.`,
    )
  }
  for (const entry of history) {
    const migration = migrations[entry.number - 1]
    if (migration?.checksum !== entry.checksum) {
      throw new OperatorError(
        `Migration ${entry.number} (${entry.name}) was applied with another text than this program carries. Restore the file: migrations are never edited.`,
      )
    }
  }
}

async function applyMissing(tx: DbOrTransaction, { number, name, checksum, sql }: Migration): Promise<boolean> {
  const [done] = await tx`select 1 from schema_migrations where number = ${number}`
  if (done) return false
  await tx.unsafe(sql).simple()
  await tx`insert into schema_migrations (number, name, checksum) values (${number}, ${name}, ${checksum})`
  return true
}

/** Again when it met a deadlock with what a running version does: that locks the same tables in another order. */
async function locked<Value>(db: Db, work: (tx: DbOrTransaction) => Promise<Value>): Promise<Value> {
  try {
    return await retriedTransaction(db, async (tx) => {
      await lockMigrations(tx)
      return work(tx)
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '55P03') {
      throw new OperatorError(
        `Another instance has been migrating or importing for ${LOCK_PATIENCE_SECONDS} s. Wait for it, then start again.`,
      )
    }
    throw error
  }
}
