import { createReadStream } from 'node:fs'
import { type Command, options } from '../../platform/command.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { importDatabase } from '../../platform/transfer/import-database.ts'
import { parseStorageConfig } from '../config.ts'
import { openStorage, ourMigrations } from '../storage.ts'
import { unlessInterrupted } from './interruption.ts'
import { amount, progressLine } from './progress-line.ts'

export const importCommand: Command = {
  help: `handover import [--from <file>]

Reads what "handover export" wrote, from standard input or from the file, into the database that DATABASE_URL names (without
it: the embedded one in the data folder). That database must be empty. All of it is imported or nothing.
An export of an older version is brought up to date; one of a newer version is refused.
Start the service afterwards with the same HANDOVER_MASTER_KEY and the same AUTH_URL as before.`,
  run: async (terminal, args) => {
    const { from } = options(args, 'from')
    if (from === undefined && process.stdin.isTTY)
      throw new OperatorError(
        'There is nothing to import: name a file with --from, or pipe "handover export" into this.',
      )
    await run(terminal, from === undefined ? process.stdin : fileSource(from))
  },
}

async function run({ env, warn }: Terminal, source: AsyncIterable<Uint8Array>): Promise<void> {
  const migrations = await ourMigrations()
  // Not beside a service that runs: it would not see what it keeps in memory change.
  const { patiently, close } = await openStorage(parseStorageConfig(env), warn)
  const progress = progressLine('Imported')
  try {
    const imported = await unlessInterrupted(
      patiently((db) => importDatabase(db, { migrations, source, tell: progress.show })),
    ).finally(progress.clear)
    const { madeAt, masterKeyId, migration } = imported.manifest
    warn(`Imported ${amount(imported)}, as they were at ${madeAt}.`)
    if (migration.number < migrations.length)
      warn(`The database was brought from migration ${migration.number} to ${migrations.length}.`)
    if (masterKeyId !== null)
      warn(`Start the service with master key ${masterKeyId} (HANDOVER_MASTER_KEY) and the same AUTH_URL as before.`)
  } finally {
    await close()
  }
}

async function* fileSource(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new OperatorError(`${file} cannot be read (${code}).`)
  }
}
