import { chmod, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type DatabaseTarget, type Db, describeDatabaseUrl, openDatabase, requireDatabase } from '../platform/db.ts'
import { findRunningEmbeddedPostgres, launchEmbeddedPostgres } from '../platform/embedded-postgres/launch.ts'
import { type Migration, readMigrations } from '../platform/migrate.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { StorageConfig } from './config.ts'

export type Storage = {
  db: Db
  /** A connection of its own that is never given up as dead: what migrates may take as long as it needs. */
  patiently: <Value>(work: (db: Db) => Promise<Value>) => Promise<Value>
  close: () => Promise<void>
}

export function ourMigrations(): Promise<Migration[]> {
  return readMigrations(fileURLToPath(new URL('../../migrations', import.meta.url)))
}

/** A database that answers: the operator's server, or the embedded one in the data folder (decision A5). */
export async function openStorage(config: StorageConfig, say: (line: string) => void): Promise<Storage> {
  const { databaseUrl } = config
  return answering(databaseUrl === null ? await embedded(config, say) : pool({ url: databaseUrl }, config), config)
}

/** For a command that may run while the service does: a live embedded server is used as it is, and left running. */
export async function openStorageBeside(config: StorageConfig, say: (line: string) => void): Promise<Storage> {
  const connection = config.databaseUrl === null ? await findRunningEmbeddedPostgres(config.dataFolder) : null
  if (connection === null) return openStorage(config, say)
  return answering(pool({ connection }, config), config)
}

async function answering(storage: Storage, { databaseUrl, dataFolder }: StorageConfig): Promise<Storage> {
  try {
    await requireDatabase(storage.db, databaseUrl === null ? `in ${dataFolder}` : describeDatabaseUrl(databaseUrl))
    return storage
  } catch (error) {
    await storage.close()
    throw error
  }
}

async function embedded(config: StorageConfig, say: (line: string) => void): Promise<Storage> {
  const { dataFolder } = config
  try {
    // Ours alone, whatever the umask says; the launcher lets the server's account pass through when it is another.
    if ((await mkdir(dataFolder, { recursive: true })) !== undefined) await chmod(dataFolder, 0o700)
  } catch {
    throw new OperatorError(
      `The data folder ${dataFolder} cannot be made. Choose another with HANDOVER_DATA_DIR, or set DATABASE_URL.`,
    )
  }
  const server = await launchEmbeddedPostgres({ dataFolder, say })
  const storage = pool({ connection: server.connection }, config)
  return {
    ...storage,
    close: async () => {
      await storage.close()
      await server.stop()
    },
  }
}

function pool(target: DatabaseTarget, { databasePrepare, databasePool }: StorageConfig): Storage {
  const db = openDatabase(target, { prepare: databasePrepare, poolSize: databasePool })
  return {
    db,
    patiently: async (work) => {
      const patient = openDatabase(target, { prepare: databasePrepare, poolSize: 1, silenceLimitMs: null })
      try {
        return await work(patient)
      } finally {
        await patient.end({ timeout: 1 })
      }
    },
    close: () => db.end({ timeout: 5 }),
  }
}
