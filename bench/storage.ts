import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ourMigrations } from '../src/app/storage.ts'
import { type Db, openDatabase } from '../src/platform/db.ts'
import { launchEmbeddedPostgres } from '../src/platform/embedded-postgres/launch.ts'
import { migrate } from '../src/platform/migrate.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export type BenchStorage = {
  url: string
  db: Db
  /** Its connections are children of this process. */
  postmaster: number
  stop: () => Promise<void>
}

/**
 * A PostgreSQL of the benchmark's own, as it is shipped but for these settings: commits are durable. It stands on the project's
 * disk, since /tmp may be memory.
 */
export async function startStorage(settings: Record<string, string> = {}): Promise<BenchStorage> {
  const data = join(import.meta.dirname, '../data')
  await mkdir(data, { recursive: true })
  const folder = await mkdtemp(join(data, 'bench-'))
  const server = await launchEmbeddedPostgres({ dataFolder: folder, say: () => {}, socketParents: [], settings })
  const { host, port, username, password, database } = server.connection
  const url = `postgres://${username}:${password}@${host}:${port}/${database}`
  const db = openDatabase({ url }, { prepare: true, poolSize: 4 })
  await migrate(db, await ourMigrations())
  const stop = async () => {
    await db.end()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  // Whoever ends a run early leaves no server behind.
  const stopEarly = () => void stop().finally(() => process.exit(130))
  for (const signal of SIGNALS) process.once(signal, stopEarly)
  return {
    url,
    db,
    postmaster: Number((await readFile(join(server.clusterFolder, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]),
    stop: async () => {
      for (const signal of SIGNALS) process.off(signal, stopEarly)
      await stop()
    },
  }
}
