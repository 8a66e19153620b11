import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ourMigrations } from '../src/app/storage.ts'
import { type Db, openDatabase } from '../src/platform/db.ts'
import { launchEmbeddedPostgres } from '../src/platform/embedded-postgres/launch.ts'
import { migrate } from '../src/platform/migrate.ts'

export type BenchStorage = {
  url: string
  db: Db
  /** Its connections are children of this process. */
  postmaster: number
  stop: () => Promise<void>
}

/** A PostgreSQL of the benchmark's own, as it is shipped: commits are durable. It stands on the project's disk, since /tmp may be memory. */
export async function startStorage(): Promise<BenchStorage> {
  const data = join(import.meta.dirname, '../data')
  await mkdir(data, { recursive: true })
  const folder = await mkdtemp(join(data, 'bench-'))
  const server = await launchEmbeddedPostgres({ dataFolder: folder, say: () => {}, socketParents: [] })
  const { host, port, username, password, database } = server.connection
  const url = `postgres://${username}:${password}@${host}:${port}/${database}`
  const db = openDatabase({ url }, { prepare: true, poolSize: 4 })
  await migrate(db, await ourMigrations())
  return {
    url,
    db,
    postmaster: Number((await readFile(join(server.clusterFolder, 'postmaster.pid'), 'utf8')).split('\n', 1)[0]),
    stop: async () => {
      await db.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
