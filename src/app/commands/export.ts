import { access } from 'node:fs/promises'
import { createCipher } from '../../platform/cipher.ts'
import { type Command, options } from '../../platform/command.ts'
import { clusterIn, placeIn } from '../../platform/embedded-postgres/place.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { exportDatabase } from '../../platform/transfer/export-database.ts'
import type { Sink } from '../../platform/transfer/frames.ts'
import { countOtherSessions } from '../../platform/transfer/other-sessions.ts'
import type { Transferred } from '../../platform/transfer/progress.ts'
import { parseStorageConfig, type StorageConfig } from '../config.ts'
import { LEFT_OUT_TABLES } from '../left-out-tables.ts'
import { masterKeyFile, readMasterKey } from '../master-key-file.ts'
import { openStorageBeside, ourMigrations } from '../storage.ts'
import { VERSION } from '../version.ts'
import { intoFile, intoStandardOutput } from './export-sinks.ts'
import { unlessInterrupted } from './interruption.ts'
import { amount, progressLine } from './progress-line.ts'

export const exportCommand: Command = {
  help: `handover export [--to <file>] [--stopped]

Writes everything that must survive to standard output, or to a new file that only you may read, as it was at one moment.
The service may go on running meanwhile. "handover import" reads it into an empty database of any PostgreSQL 15 or newer:
  handover export | DATABASE_URL=postgres://… handover import
  --to        the file; it gets its name when it is whole
  --stopped   refuse while a service uses the database: for moving, where whatever is written afterwards stays behind
The master key is not in it. What is encrypted stays so, but names, addresses and password hashes can be read by who has it.`,
  run: async (terminal, args) => {
    const stopped = args.includes('--stopped')
    const { to } = options(
      args.filter((each) => each !== '--stopped'),
      'to',
    )
    if (to === undefined && process.stdout.isTTY)
      throw new OperatorError(
        'An export is not for reading on a terminal: name a file with --to, or pipe it into "handover import".',
      )
    const config = parseStorageConfig(terminal.env)
    await requireSomethingToExport(config)
    const write = (sink: Sink, isPiped: boolean) => run(terminal, config, { sink, stopped, isPiped })
    if (to === undefined) await intoStandardOutput(write)
    else await intoFile(to, write)
    if (to !== undefined) terminal.warn(`It is in ${to}, which only you may read.`)
  },
}

async function run(
  terminal: Terminal,
  config: StorageConfig,
  { sink, stopped, isPiped }: { sink: Sink; stopped: boolean; isPiped: boolean },
): Promise<void> {
  const { db, patiently, close } = await openStorageBeside(config, terminal.warn)
  try {
    const others = await countOtherSessions(db)
    if (others > 0 && stopped)
      throw new OperatorError(
        `A service uses this database (connections: ${others}): stop every process, then export. Behind PgBouncer their connections end a little later.`,
      )
    const migrations = await ourMigrations()
    const leftOut = new Set(Object.keys(LEFT_OUT_TABLES))
    // Whoever reads a pipe shows how far it is.
    const progress = progressLine('Exported', !isPiped)
    const exported = await unlessInterrupted(
      patiently((patient) =>
        exportDatabase(patient, { migrations, leftOut, version: VERSION, sink, tell: progress.show }),
      ),
    ).finally(progress.clear)
    terminal.warn(`Exported ${amount(exported)}, as it was at ${exported.manifest.madeAt}.`)
    await warnOfKey(terminal, config, exported)
    if (others > 0)
      terminal.warn(
        'A service still uses this database. As a backup that is fine. To move, stop it first: what it writes from now on is not in the export, and two services that have the same deliveries waiting both send them.',
      )
  } finally {
    await close()
  }
}

/** The half of a backup that is not in it. */
async function warnOfKey(
  { warn }: Terminal,
  { dataFolder }: StorageConfig,
  { manifest: { masterKeyId } }: Transferred,
): Promise<void> {
  if (masterKeyId === null) return
  const file = masterKeyFile(dataFolder)
  // The folder may be another service's.
  const kept = await readMasterKey(dataFolder).catch(() => null)
  warn(
    kept !== null && createCipher(kept).keyId === masterKeyId
      ? `Keep ${file} too, in another place: it holds master key ${masterKeyId}, without which signing keys and webhook secrets cannot be read. Elsewhere, give it as HANDOVER_MASTER_KEY_FILE.`
      : `Keep HANDOVER_MASTER_KEY too, in another place: without master key ${masterKeyId} signing keys and webhook secrets cannot be read.`,
  )
}

/** Opening a data folder that is not there would make it, with an empty database. */
async function requireSomethingToExport({ databaseUrl, dataFolder }: StorageConfig): Promise<void> {
  if (databaseUrl === null && !(await exists(clusterIn(placeIn(dataFolder)))))
    throw new OperatorError(
      `There is no database in ${dataFolder}: name the folder with HANDOVER_DATA_DIR, or the server with DATABASE_URL.`,
    )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  )
}
