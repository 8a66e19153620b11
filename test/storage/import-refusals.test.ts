import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ourMigrations } from '../../src/app/storage.ts'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { migrate, migrationState } from '../../src/platform/migrate.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'
import { contentOf, exported, imported, isUntouched, piecesOf } from '../harness/transfer.ts'

// An import that cannot be whole is none: whatever is wrong, the database is as it was, and the next import works.

const migrations = await ourMigrations()
const source = await createTestDatabase()
await source.db`insert into teams (id, name) select 'tem_' || n, repeat('Team ', 100) from generate_series(1, 1000) as n`
const whole = await exported(source.db)
const target = await createTestDatabase('empty')
after(async () => {
  await target.drop()
  await source.drop()
})

async function refuses(work: Promise<unknown>, reason: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof OperatorError, String(error))
    assert.match(error.message, reason)
    return true
  })
}

const middle = whole.indexOf('tem_500\t')

test('an export of nothing, and of what a newer version made', async () => {
  await refuses(exported(target.db), /nothing to export: no service has used this database yet/)
  await refuses(exported(source.db, { migrations: migrations.slice(0, 3) }), /newer than this program/)
})

test('cut off in the middle of a table, before the last frame, and before the first', async () => {
  const lastFrame = whole.lastIndexOf('\n', whole.length - 2) + 1
  for (const length of [0, middle, lastFrame])
    await refuses(imported(target.db, whole.subarray(0, length)), /ends in the middle.*Nothing was imported/)
  assert.ok(await isUntouched(target.db))
})

test('one byte of a row is another, and something follows the end', async () => {
  const changed = Buffer.from(whole)
  changed[middle] = 0x55
  await refuses(imported(target.db, changed), /damaged.*Nothing was imported/)
  await refuses(imported(target.db, Buffer.concat([whole, whole])), /damaged/)
  assert.ok(await isUntouched(target.db))
})

test('of a newer version, or of a database that migrated otherwise', async () => {
  await refuses(
    imported(target.db, whole, migrations.slice(0, 3)),
    /newer version of Handover \(test, migration \d+\); this program knows only 3/,
  )
  const others = migrations.map((each) => ({ ...each, checksum: 'another' }))
  await refuses(imported(target.db, whole, others), /has another text than ours/)
  const format = Buffer.from(whole.toString('latin1').replace('"format":1', '"format":2'), 'latin1')
  await refuses(imported(target.db, format), /damaged/)
  assert.ok(await isUntouched(target.db))
})

test('into a database that is not empty: where there are rows is said, and they stay', async () => {
  const filled = await createTestDatabase()
  try {
    await filled.db`insert into teams (id, name) values ('tem_theirs', 'Theirs')`
    await refuses(
      imported(filled.db, whole),
      /not empty: there are rows in teams\. An import needs a database of its own/,
    )
    assert.deepEqual([...(await filled.db`select id from teams`)], [{ id: 'tem_theirs' }])
    await filled.db`delete from teams`
    await refuses(
      imported(filled.db, await olderExport()),
      /at migration \d+ and the export at 7: tables are never taken back/,
    )
    await imported(filled.db, whole)
    assert.deepEqual(await contentOf(filled.db), await contentOf(source.db), 'migrated and without a row is empty')
  } finally {
    await filled.drop()
  }
})

async function olderExport(): Promise<Buffer> {
  const old = await createTestDatabase('empty')
  try {
    await migrate(old.db, migrations.slice(0, 7))
    return await exported(old.db, { migrations: migrations.slice(0, 7) })
  } finally {
    await old.drop()
  }
}

test('into a database where somebody else has a table of that name', async () => {
  const theirs = await createTestDatabase('empty')
  try {
    await theirs.db`create table users (id int)`
    await refuses(imported(theirs.db, whole), /not made by Handover but are called like its own \(users\)/)
  } finally {
    await theirs.drop()
  }
})

test('from a database that was changed by hand, and by an account that may make no tables', async () => {
  const changed = await createTestDatabase()
  try {
    await changed.db`alter table teams add column colour text`
    await refuses(imported(target.db, await exported(changed.db)), /table teams with the columns .*colour/)
  } finally {
    await changed.drop()
  }
  const name = new URL(target.url).pathname.slice(1)
  await target.db.unsafe(`alter database ${name} set role = pg_monitor`)
  const powerless = openDatabase({ url: target.url }, { prepare: true, poolSize: 1 })
  try {
    await refuses(imported(powerless, whole), /\(42501\): permission denied for schema public\. Nothing was imported/)
  } finally {
    await powerless.end({ timeout: 1 })
    await target.db.unsafe(`alter database ${name} reset role`)
  }
  assert.ok(await isUntouched(target.db))
})

/** The first part of the export, then whatever `pause` waits for, then the rest. */
async function* pausing(pause: () => Promise<void>): AsyncGenerator<Buffer> {
  yield* piecesOf(whole.subarray(0, middle), 65_536)
  await pause()
  yield* piecesOf(whole.subarray(middle), 65_536)
}

const importing = (db: Db) => db`
  select pid from pg_stat_activity where datname = current_database() and query like 'copy "teams"%' and state = 'active'`

test('the connection is cut in the middle: nothing is there', async () => {
  const cut = async () => {
    assert.ok(await soon(async () => (await importing(target.db)).length === 1, PATIENCE_MS))
    // Of this database only: other tests import on the same server.
    await target.db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'copy "teams"%'`
  }
  const db = openDatabase({ url: target.url }, { prepare: true, poolSize: 1 })
  try {
    await refuses(imported(db, pausing(cut)), /57P01|connection to the database broke/)
  } finally {
    await db.end({ timeout: 1 })
  }
  assert.ok(await isUntouched(target.db))
})

test('a process that starts meanwhile waits, finds everything there, and migrates nothing', async () => {
  let started: Promise<number[]> | undefined
  const start = async () => {
    started = migrate(target.db, migrations)
    const waiting = () => target.db`
      select 1 from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`
    assert.ok(await soon(async () => (await waiting()).length === 1, PATIENCE_MS))
  }
  const db = openDatabase({ url: target.url }, { prepare: true, poolSize: 1 })
  try {
    await imported(db, pausing(start))
  } finally {
    await db.end({ timeout: 1 })
  }
  assert.deepEqual(await started, [])
  assert.equal(await migrationState(target.db, migrations), 'done')
  assert.deepEqual(await contentOf(target.db), await contentOf(source.db))
})
