import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ourMigrations } from '../../src/app/storage.ts'
import { adoptMasterKey } from '../../src/platform/master-key-store.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { runHandover } from '../harness/process.ts'
import { holdTables } from '../harness/table-lock.ts'
import { createTestDatabase, type TestDatabase, testServerUrl } from '../harness/test-database.ts'

// Whatever is wrong at the start: one clear message that says what to do, exit code 1, no stack trace, no data touched.

const KEY = Buffer.alloc(32, 1).toString('base64')
let folder = ''
let silent: Server
let silentPort = 0

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handover-bad-start-'))
  // Takes connections and never says a word, as a database behind a firewall or in trouble does.
  silent = createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((listening) => silent.once('listening', listening))
  silentPort = portOf(silent)
})
after(async () => {
  silent.close()
  await rm(folder, { recursive: true, force: true })
})

async function refuses(args: string[], env: Record<string, string>, message: RegExp): Promise<void> {
  const ran = runHandover(
    args,
    { PORT: '0', METRICS_PORT: '0', RECEIVER_PORT: '0', HANDOVER_DATA_DIR: join(folder, 'data'), ...env },
    folder,
  )
  const code = await ran.ended
  assert.match(ran.err(), message)
  assert.match(ran.err(), /^handover: /)
  assert.doesNotMatch(ran.err() + ran.out(), /\n\s+at |Error:/)
  assert.equal(code, 1)
}

const deployed = (databaseUrl: string) => ({
  AUTH_URL: 'https://id.example.com',
  HANDOVER_HOST: '127.0.0.1',
  HANDOVER_MASTER_KEY: KEY,
  DATABASE_URL: databaseUrl,
})

test('an unknown command, option or role', async () => {
  await refuses(['sing'], {}, /there is no command "sing"/)
  await refuses(['constructor'], {}, /there is no command "constructor"/)
  await refuses(['migrate', '--loud'], {}, /--loud/)
  await refuses(['serve', '--only', 'half'], {}, /--only takes web or worker/)
})

test('malformed configuration', async () => {
  await refuses(
    ['serve'],
    { PORT: 'x', HANDOVER_NONSENSE: '1' },
    /PORT must be[\s\S]*HANDOVER_NONSENSE is not a setting/,
  )
  await assert.rejects(readdir(join(folder, 'data')), 'no data folder was made')
})

test('a port in use is found before any data is touched', async () => {
  await refuses(
    ['demo'],
    { PORT: String(silentPort) },
    /Port \d+ is in use. Stop what uses it or choose another with PORT/,
  )
  await refuses(['demo'], { METRICS_PORT: String(silentPort) }, /choose another with METRICS_PORT/)
  await refuses(['demo'], { RECEIVER_PORT: String(silentPort) }, /choose another with RECEIVER_PORT/)
  await assert.rejects(readdir(join(folder, 'data')), 'no data folder was made')
})

test('a data folder that is a file', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  await refuses(['demo'], { HANDOVER_DATA_DIR: file }, /HANDOVER_DATA_DIR/)
  await refuses(['demo'], { HANDOVER_DATA_DIR: join(file, 'below') }, /HANDOVER_DATA_DIR/)
})

test('a data folder that may not be written', {
  skip: process.getuid?.() === 0 && 'root may write everywhere',
}, async () => {
  const locked = join(folder, 'locked')
  await mkdir(locked)
  await chmod(locked, 0o500)
  await refuses(['demo'], { HANDOVER_DATA_DIR: join(locked, 'data') }, /HANDOVER_DATA_DIR/)
})

test('a database that nobody listens for, that never answers, or several that are all down', async () => {
  const started = Date.now()
  await Promise.all([
    refuses(
      ['serve'],
      deployed('postgres://u:hunter2@127.0.0.1:1/x'),
      /The database "x" at 127\.0\.0\.1:1 cannot be used/,
    ),
    refuses(
      ['serve'],
      deployed(`postgres://u:hunter2@127.0.0.1:${silentPort}/x`),
      /cannot be used: Connecting took longer than 2000 ms|CONNECT_TIMEOUT/,
    ),
    refuses(
      ['migrate'],
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1,127.0.0.1:2/x' },
      /at 127\.0\.0\.1:1,127\.0\.0\.1:2 cannot be used/,
    ),
  ])
  // Not a measurement: postgres.js by itself would wait for ever here.
  assert.ok(Date.now() - started < 60_000)
})

test('a database that refuses us, does not exist, or whose address makes no sense', async () => {
  const server = testServerUrl()
  await refuses(
    ['serve'],
    deployed(`${server.replace(/:[^:@]+@/, ':wrong@')}/postgres`),
    /password authentication failed/,
  )
  await refuses(['serve'], deployed(`${server}/nowhere`), /database "nowhere" does not exist/)
  await refuses(['serve'], deployed('postgres://u:hunter2@host:port/x'), /DATABASE_URL cannot be understood/)
  await refuses(['serve'], deployed('mysql://u:hunter2@host/x'), /DATABASE_URL must start with postgres/)
})

test('the password in DATABASE_URL is never shown', async () => {
  for (const url of [
    'postgres://u:hunter2@127.0.0.1:1/x',
    'postgres://u:hunter2@host:port/x',
    'postgres://u:hunter2@[::/x',
    'postgres://u:p@hunter2@127.0.0.1:1/x',
  ]) {
    const ran = runHandover(['migrate'], { DATABASE_URL: url }, folder)
    assert.equal(await ran.ended, 1)
    assert.doesNotMatch(ran.err() + ran.out(), /hunter2/)
  }
})

test('a master key that is not the one the database was encrypted with: nothing is migrated', async () => {
  const database: TestDatabase = await createTestDatabase('empty')
  try {
    const ours = await ourMigrations()
    await migrate(database.db, ours)
    await adoptMasterKey(database.db, 'ffffffffffffffff')
    await database.db`delete from schema_migrations where number = ${ours.length}`
    await refuses(
      ['serve'],
      deployed(database.url),
      /The master key \(id [0-9a-f]{16}\) is not the one this database was encrypted with/,
    )
    const [row] = await database.db<[{ count: number }]>`select count(*)::int as count from schema_migrations`
    assert.equal(row.count, ours.length - 1)
  } finally {
    await database.drop()
  }
})

test('a database that ends the connection in the middle of a start', async () => {
  const database = await createTestDatabase()
  try {
    const held = await holdTables(database.db, ['signing_keys'])
    const refused = refuses(
      ['serve'],
      deployed(database.url),
      /the database could not do it at this moment: (terminating connection|write CONNECTION_CLOSED)/,
    )
    await held.waited()
    await database.db`
      select pg_terminate_backend(pid) from pg_locks where relation = 'signing_keys'::regclass and not granted`
    await refused
    await held.release()
  } finally {
    await database.drop()
  }
})

test('a database that is newer than the program', async () => {
  const database = await createTestDatabase()
  try {
    await database.db`insert into schema_migrations (number, name, checksum) values (9999, 'from-the-future', 'x')`
    await refuses(['serve'], deployed(database.url), /at migration 9999 \(from-the-future\).* Start the newer version/)
  } finally {
    await database.drop()
  }
})

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
