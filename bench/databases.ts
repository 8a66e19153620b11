import { ourMigrations } from '../src/app/storage.ts'
import { type Db, openDatabase } from '../src/platform/db.ts'
import { migrate } from '../src/platform/migrate.ts'
import type { BenchStorage } from './storage.ts'

/** Another database on the benchmark's server, migrated; gone with the server. */
export async function addDatabase(storage: BenchStorage, name: string): Promise<{ url: string; db: Db }> {
  await storage.db`create database ${storage.db(name)}`
  const url = new URL(storage.url)
  url.pathname = `/${name}`
  // Filling tables takes longer than a statement of the service may.
  url.searchParams.set('statement_timeout', '0')
  const db = openDatabase({ url: url.href }, { prepare: false, poolSize: 2, silenceLimitMs: null })
  await migrate(db, await ourMigrations())
  url.searchParams.delete('statement_timeout')
  return { url: url.href, db }
}
