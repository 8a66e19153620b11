import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ourMigrations } from '../../src/app/storage.ts'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { migrationState } from '../../src/platform/migrate.ts'
import { within } from '../../src/platform/within.ts'
import { type PgBouncer, pgbouncerMissing, startPgBouncer } from '../harness/pgbouncer.ts'
import { runHandover } from '../harness/process.ts'
import { PATIENCE_MS } from '../harness/soon.ts'
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts'
import { contentOf, exported, imported } from '../harness/transfer.ts'

// In transaction mode a client meets another connection of the server with every transaction, so nothing may be left on one:
// no prepared statement, no session lock, no setting. Two connections for everybody make that happen all the time.

const KEY = Buffer.alloc(32, 9).toString('base64')

describe('behind PgBouncer in transaction mode', { skip: pgbouncerMissing }, () => {
  let bouncer: PgBouncer
  const databases: TestDatabase[] = []
  const fresh = async (from: 'migrated' | 'empty') => {
    const database = await createTestDatabase(from)
    databases.push(database)
    return { database, url: bouncer.urlOf(database) }
  }
  before(async () => {
    bouncer = await startPgBouncer({ serverConnections: 2 })
  })
  after(async () => {
    await bouncer.stop()
    for (const database of databases) await database.drop()
  })

  const settings = (url: string) => ({
    AUTH_URL: 'https://id.example.com',
    HANDOVER_MASTER_KEY: KEY,
    HANDOVER_HOST: '127.0.0.1',
    HANDOVER_DATABASE_PREPARE: 'off',
    DATABASE_URL: url,
    PORT: '0',
    METRICS_PORT: '0',
  })

  test('two services start on one empty database at the same moment, apply each migration once and become ready', async () => {
    const { url } = await fresh('empty')
    const services = [runHandover(['serve'], settings(url)), runHandover(['serve'], settings(url))]
    try {
      for (const service of services) {
        const [, port] = await service.says(/"port":(\d+),/)
        // Asked often, so that the answers come over both connections of the server.
        const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`http://127.0.0.1:${port}/readyz`)))
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
        assert.deepEqual(await answers[0]?.json(), {
          status: 'ready',
          checks: { database: 'ok', migrations: 'ok', worker: 'ok' },
        })
      }
      await assertEachOnce(services.map((service) => /"applied":\[([\d,]+)\]/.exec(service.out())?.[1] ?? ''))
    } finally {
      for (const service of services) service.child.kill('SIGTERM')
    }
    assert.deepEqual(await Promise.all(services.map(({ ended }) => ended)), [0, 0])
  })

  test('"handover migrate" three times at once applies each migration once', async () => {
    const { url, database } = await fresh('empty')
    const runs = [1, 2, 3].map(() => runHandover(['migrate'], { DATABASE_URL: url, HANDOVER_DATABASE_PREPARE: 'off' }))
    assert.deepEqual(await Promise.all(runs.map(({ ended }) => ended)), [0, 0, 0])
    await assertEachOnce(runs.map((run) => /^Migrated: ([\d, ]+)/.exec(run.out())?.[1] ?? ''))
    assert.equal(await migrationState(database.db, await ourMigrations()), 'done')
  })

  test('200 transactions at once all succeed, each of several statements with parameters', async () => {
    const { url, database } = await fresh('empty')
    await database.db`create table numbers (n int primary key, note text not null)`
    const db = openDatabase({ url }, { prepare: false, poolSize: 20 })
    try {
      const done = await Promise.allSettled(
        Array.from({ length: 200 }, (_, n) =>
          db.begin(async (tx) => {
            await tx`select pg_advisory_xact_lock(${n})`
            await tx`insert into numbers (n, note) values (${n}, ${`first ${n}`})`
            const [row] = await tx<[{ note: string }]>`
              update numbers set note = ${`then ${n}`} where n = ${n} returning note`
            return row.note
          }),
        ),
      )
      assert.deepEqual(
        done.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
        done.map((_, n) => `then ${n}`),
      )
      const [{ count }] = await database.db<[{ count: number }]>`select count(*)::int as count from numbers`
      assert.equal(count, 200)
    } finally {
      await db.end({ timeout: 1 })
    }
  })

  test('everything is exported and imported through it', async () => {
    const [from, to] = [await fresh('migrated'), await fresh('empty')]
    await from.database.db`insert into teams (id, name) values ('tem_some', 'Some')`
    const [source, target] = [from.url, to.url].map((url) => openDatabase({ url }, { prepare: false, poolSize: 1 }))
    assert.ok(source && target)
    try {
      await imported(target, await exported(source))
      assert.deepEqual(await contentOf(to.database.db), await contentOf(from.database.db))
    } finally {
      await source.end({ timeout: 1 })
      await target.end({ timeout: 1 })
    }
  })

  test('what waited together is answered to each who asked, also what is asked in two steps', async () => {
    const { url } = await fresh('empty')
    // As in three processes: what one of them gets wrongly is another's.
    const pools = [1, 2, 3].map(() => openDatabase({ url }, { prepare: false, poolSize: 3 }))
    const name = new URL(url).pathname.slice(1)
    const ask = (db: Db, turn: number): Array<Promise<unknown>> => [
      db`select 'none' as said`.then(([row]) => row?.['said']),
      db`select ${[turn, 2]}::int[] as said`.then(([row]) => row?.['said']),
      db`select ${'one'}::text || ${turn}::int || ${[1.5, turn]}::float8[]::text as said`.then(
        ([row]) => row?.['said'],
      ),
    ]
    try {
      await Promise.all(pools.map((db) => db`select 1`))
      for (let round = 0; round < 3; round += 1) {
        await bouncer.command(`pause ${name}`)
        const asked = pools.flatMap((db) => [1, 2, 3, 4, 5].flatMap((turn) => ask(db, turn)))
        await sleep(100)
        await bouncer.command(`resume ${name}`)
        assert.deepEqual(
          await within(PATIENCE_MS, 'Answering', Promise.all(asked)),
          pools.flatMap(() => [1, 2, 3, 4, 5].flatMap((turn) => ['none', [turn, 2], `one${turn}{1.5,${turn}}`])),
        )
      }
    } finally {
      await Promise.all(pools.map((db) => db.end({ timeout: 0 })))
    }
  })

  test('a start that was not told of PgBouncer says what to set', async () => {
    const { url } = await fresh('empty')
    const run = runHandover(['migrate'], { DATABASE_URL: url })
    assert.equal(await run.ended, 1)
    assert.match(run.err(), /^handover: The database .* Behind PgBouncer set HANDOVER_DATABASE_PREPARE=off\.\n$/)
  })

  test('a transaction that fails gives its connection back as it was', async () => {
    const { url } = await fresh('empty')
    const db = openDatabase({ url }, { prepare: false, poolSize: 10 })
    try {
      const failing = () => db.begin(async (tx) => tx`select 1 / ${0}::int`)
      const working = async () => (await db<[{ n: number }]>`select ${7}::int as n`)[0].n
      const done = await Promise.allSettled(
        Array.from({ length: 100 }, (_, turn) => (turn % 2 ? working() : failing())),
      )
      done.forEach((outcome, turn) => {
        if (turn % 2) assert.deepEqual(outcome, { status: 'fulfilled', value: 7 })
        else assert.match(String(outcome.status === 'rejected' && outcome.reason), /division by zero/)
      })
    } finally {
      await db.end({ timeout: 1 })
    }
  })
})

/** Several processes may share the work. */
async function assertEachOnce(applied: string[]): Promise<void> {
  const numbers = applied.flatMap((list) => list.match(/\d+/g) ?? []).map(Number)
  const all = (await ourMigrations()).map(({ number }) => number)
  assert.deepEqual(
    numbers.toSorted((one, other) => one - other),
    all,
  )
}
