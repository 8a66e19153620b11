import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ourMigrations } from '../../src/app/storage.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { TEMPLATE, TEST_POSTGRES_URL } from './test-database.ts'

// One PostgreSQL for the whole run, with a migrated template that each test file clones. It listens on loopback with a
// password, so that child processes reach it by DATABASE_URL; it does not sync to disk, because nothing here outlives it.

let folder = ''
let server: EmbeddedPostgres | undefined

export async function globalSetup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'handover-tests-'))
  server = await launchEmbeddedPostgres({
    dataFolder: folder,
    say: () => {},
    socketParents: [],
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const { host, port, username, password } = server.connection
  process.env[TEST_POSTGRES_URL] = `postgres://${username}:${password}@${host}:${port}`
  const admin = openDatabase({ connection: server.connection }, { prepare: true, poolSize: 1 })
  await admin.unsafe(`create database ${TEMPLATE}`)
  await admin.end()
  const template = openDatabase(
    { connection: { ...server.connection, database: TEMPLATE } },
    { prepare: true, poolSize: 1 },
  )
  await migrate(template, await ourMigrations())
  await template.end()
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
}
