import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../../src/platform/db.ts'
import { dropTables } from '../../src/platform/drop-tables.ts'
import { soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase('empty')
const { db } = database
const one = openDatabase({ url: database.url }, { prepare: true, poolSize: 1 })
after(async () => {
  await one.end()
  await database.drop()
})

test('what is not there is passed over, and a name is a name, whatever is in it', async () => {
  await db`create table plain ()`
  await db`create table "O'Brien; drop table x" ()`
  const dropped = await dropTables(db, ['plain', 'never', "O'Brien; drop table x"])
  assert.notEqual(dropped, 'busy')
  assert.deepEqual(new Set(dropped), new Set(['plain', "O'Brien; drop table x"]))
  assert.deepEqual(await dropTables(db, ['plain']), [])
})

test('a connection that has met a table does not take it to be there when another has dropped it', async () => {
  await db`create table parent (day int) partition by list (day)`
  await db`create table a_day partition of parent for values in (1)`
  await db.begin(async (reader) => {
    await reader`select * from a_day`
    assert.equal(await dropTables(one, ['a_day']), 'busy')
  })
  const second = await db.begin(async (first) => {
    await first`set local idle_in_transaction_session_timeout = 0`
    await first`select pg_advisory_xact_lock(hashtextextended('drop tables', 0))`
    await first`drop table a_day`
    let dropping = beginDropping()
    const isWaiting = async () => {
      // It gives up after a tenth of a second, which may be before anybody looked.
      if (dropping.isOver) dropping = beginDropping()
      return (await waitingForLocks()) === 1
    }
    assert.ok(await soon(isWaiting, 10_000))
    return dropping
  })
  const outcome = await second.outcome
  assert.deepEqual(outcome === 'busy' ? await dropTables(one, ['a_day']) : outcome, [])
})

function beginDropping() {
  const begun = { isOver: false, outcome: dropTables(one, ['a_day']) }
  const end = () => void (begun.isOver = true)
  begun.outcome.then(end, end)
  return begun
}

async function waitingForLocks(): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`
  return row.count
}
