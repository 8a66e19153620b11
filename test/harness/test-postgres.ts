import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ourMigrations } from '../../src/app/storage.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { launchEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { TEMPLATE, TEST_POSTGRES_URL } from './test-database.ts'

/**
 * A PostgreSQL with a migrated template, which `createTestDatabase` clones from now on. It listens on loopback with a password,
 * so that child processes reach it by DATABASE_URL; it does not sync to disk, because nothing here outlives the machine.
 */
export async function startTestPostgres(settings: Record<string, string> = {}): Promise<{ stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-tests-'))
  const server = await launchEmbeddedPostgres({
    dataFolder: folder,
    say: () => {},
    socketParents: [],
    settings: { fsync: 'off', full_page_writes: 'off', shared_buffers: '128MB', ...settings },
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
  return {
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
