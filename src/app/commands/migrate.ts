import { type Command, options } from '../../platform/command.ts'
import { migrate } from '../../platform/migrate.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { parseStorageConfig } from '../config.ts'
import { openStorageBeside, ourMigrations } from '../storage.ts'

export const migrateCommand: Command = {
  help: `handover migrate

Applies the migrations that are missing. Any number of processes may do so at once.`,
  run: async (terminal, args) => {
    options(args)
    await bringUpToDate(terminal)
  },
}

async function bringUpToDate({ env, print, warn }: Terminal): Promise<void> {
  const { patiently, close } = await openStorageBeside(parseStorageConfig(env), warn)
  try {
    const migrations = await ourMigrations()
    const applied = await patiently((db) => migrate(db, migrations))
    print(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}.`)
  } finally {
    await close()
  }
}
