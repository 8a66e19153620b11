import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Db, describeDatabaseUrl, openDatabase, requireDatabase } from '../platform/db.ts'
import { launchEmbeddedPostgres } from '../platform/embedded-postgres/launch.ts'
import { type Migration, readMigrations } from '../platform/migrate.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { StorageConfig } from './config.ts'

export type Storage = { db: Db; close(): Promise<void> }

export function ourMigrations(): Promise<Migration[]> {
  return readMigrations(fileURLToPath(new URL('../../migrations', import.meta.url)))
}

/** A database that answers: the operator's server, or the embedded one in the data folder (decision A5). */
export async function openStorage(config: StorageConfig, say: (line: string) => void): Promise<Storage> {
  const { databaseUrl, dataFolder } = config
  const storage = databaseUrl === null ? await embedded(config, say) : external(config, databaseUrl)
  try {
    await requireDatabase(storage.db, databaseUrl === null ? `in ${dataFolder}` : describeDatabaseUrl(databaseUrl))
    return storage
  } catch (error) {
    await storage.close()
    throw error
  }
}

function external(config: StorageConfig, url: string): Storage {
  const db = openDatabase({ url }, poolOf(config))
  return { db, close: () => db.end({ timeout: 5 }) }
}

async function embedded(config: StorageConfig, say: (line: string) => void): Promise<Storage> {
  const { dataFolder } = config
  try {
    await mkdir(dataFolder, { recursive: true })
  } catch {
    throw new OperatorError(
      `The data folder ${dataFolder} cannot be made. Choose another with HANDOVER_DATA_DIR, or set DATABASE_URL.`,
    )
  }
  const server = await launchEmbeddedPostgres({ dataFolder, say })
  const db = openDatabase({ connection: server.connection }, poolOf(config))
  return {
    db,
    close: async () => {
      await db.end({ timeout: 5 })
      await server.stop()
    },
  }
}

function poolOf(config: StorageConfig) {
  return { prepare: config.databasePrepare, poolSize: config.databasePool }
}
