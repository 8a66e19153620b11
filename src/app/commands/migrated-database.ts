import type { Db } from '../../platform/db.ts'
import { type MigrationState, migrationState } from '../../platform/migrate.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import type { StorageConfig } from '../config.ts'
import { openStorageBeside, ourMigrations } from '../storage.ts'

/** For a command that needs the tables as this version has them, beside a running service or without one. */
export async function withMigratedDatabase(
  config: StorageConfig,
  { warn }: Terminal,
  work: (db: Db) => Promise<void>,
): Promise<void> {
  const { db, close } = await openStorageBeside(config, warn)
  try {
    const state = await stateOf(db)
    if (state === 'pending') throw new OperatorError('The database is not up to date: run "handover migrate" first.')
    if (state === 'newer') throw new OperatorError('The database is newer than this program: use the newer version.')
    await work(db)
  } finally {
    await close()
  }
}

/** A database that nobody has migrated yet does not even have the table that says so. */
async function stateOf(db: Db): Promise<MigrationState> {
  try {
    return await migrationState(db, await ourMigrations())
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '42P01') return 'pending'
    throw error
  }
}
