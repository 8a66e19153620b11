import assert from 'node:assert/strict'
import { once } from 'node:events'
import { finished, pipeline } from 'node:stream/promises'
import { after, beforeEach, test } from 'node:test'
import { openDatabase } from '../../src/platform/db.ts'
import { within } from '../../src/platform/within.ts'
import { createTestDatabase } from '../harness/test-database.ts'

// COPY in both directions through the driver: whatever goes wrong is an error for whoever waits, and the connection works again.
// One connection, so that one that is lost is missed.

const PATIENCE_MS = 10_000

const database = await createTestDatabase('empty')
const db = openDatabase({ url: database.url }, { prepare: true, poolSize: 1, silenceLimitMs: null })
after(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

beforeEach(async () => {
  await db`drop table if exists rows, parents`
  await db`create table parents (id int primary key)`
  await db`create table rows (id int primary key, parent int references parents (id), text text)`
})

const soonEnough = <Value>(work: Promise<Value>) => within(PATIENCE_MS, 'COPY', work)
const into = () => db`copy rows (id, parent) from stdin`.writable()
const count = async () => (await db<[{ count: number }]>`select count(*)::int as count from rows`)[0].count

test('what the server refuses after the last byte has failed', async () => {
  await assert.rejects(soonEnough(pipeline(['1\t7\n'], await into())), /violates foreign key constraint/)
  assert.equal(await soonEnough(count()), 0)
})

test('what the server refuses in the middle has failed, however much follows', async () => {
  async function* lines() {
    yield Buffer.from('1\t\\N\nnonsense\n')
    for (let id = 2; id < 100_000; id++) yield Buffer.from(`${id}\t\\N\n`)
  }
  await assert.rejects(soonEnough(pipeline(lines, await into())), /invalid input syntax|missing data/)
  assert.equal(await soonEnough(count()), 0)
})

test('a writer that gives up leaves nothing', async () => {
  async function* lines() {
    yield Buffer.from('1\t\\N\n')
    throw new Error('no more')
  }
  await assert.rejects(soonEnough(pipeline(lines, await into())), /no more/)
  assert.equal(await soonEnough(count()), 0)
})

test('many, one directly after the other, in one transaction: the end of one is not the failure of the next', async () => {
  await soonEnough(
    db.begin(async (tx) => {
      for (let id = 0; id < 50; id++) {
        const writable = await tx`copy rows (id) from stdin`.writable()
        writable.end(`${id}\n`)
        await finished(writable)
      }
    }),
  )
  assert.equal(await count(), 50)
})

test('a reader that goes away leaves a connection that works', async () => {
  await db`insert into rows (id, text) select n, repeat('x', 1000) from generate_series(1, 20000) as n`
  const readable = await db`copy rows to stdout`.readable()
  await once(readable, 'data')
  readable.destroy()
  assert.equal(await soonEnough(count()), 20_000)
})

test('a connection that ends in the middle, in either direction', async () => {
  await db`insert into rows (id, text) select n, repeat('x', 1000) from generate_series(1, 20000) as n`
  const end = () => database.db`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'copy %'`

  const readable = await db`copy rows to stdout`.readable()
  // Both are watched before the end: it may be known here before the one that ended it has its answer.
  readable.on('error', () => {})
  await once(readable, 'readable')
  await end()
  await assert.rejects(soonEnough(readable.toArray()), /terminating connection|CONNECTION_CLOSED|ECONNRESET/)
  assert.equal(await soonEnough(count()), 20_000)

  const writable = await into()
  const told = assert.rejects(soonEnough(finished(writable)), /terminating connection|CONNECTION_CLOSED|ECONNRESET/)
  writable.write('1000001\t\\N\n')
  await end()
  await told
  assert.equal(await soonEnough(count()), 20_000)
})
