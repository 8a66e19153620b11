import { migrate } from '../../platform/migrate.ts'
import { parseStorageConfig } from '../config.ts'
import { openStorageBeside, ourMigrations } from '../storage.ts'
import type { Terminal } from './terminal.ts'

export async function migrateCommand({ env, print, warn }: Terminal): Promise<void> {
  const { patiently, close } = await openStorageBeside(parseStorageConfig(env), warn)
  try {
    const migrations = await ourMigrations()
    const applied = await patiently((db) => migrate(db, migrations))
    print(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}.`)
  } finally {
    await close()
  }
}
