import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { upsertPeople } from '../../src/domain/accounts/upsert-people.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const PEOPLE = 3_000
/** Holding, asking for names, writing and reading again. */
const FEW = 20

const database = await createTestDatabase()
// One connection, whose plans and counts are then known.
const db = openDatabase({ url: database.url }, { prepare: true, poolSize: 1 })
after(async () => {
  await db.end()
  await database.drop()
})

async function rowsRead(): Promise<number> {
  await db`select pg_stat_force_next_flush()`
  const [row] = await db<Array<{ read: number }>>`
    select (seq_tup_read + idx_tup_fetch)::float8 as read from pg_stat_user_tables where relname = 'users'`
  return row?.read ?? 0
}

test('to change a person nobody else is read, though a few thousand are read quickly', async () => {
  await db`
    insert into users (id, role, email, email_folded, name, made_in)
    select 'usr_' || n, 'NURSE_USER', n || '@people.example', n || '@people.example', 'Person', 'sandbox'
    from generate_series(1, ${PEOPLE}::int) as n`
  await db`vacuum analyze users`
  // Often enough that PostgreSQL settles on a plan.
  for (let turn = 0; turn < 8; turn += 1) {
    const before = await rowsRead()
    const said = { id: 'usr_7', email: '7@people.example', emailVerified: true, role: 'NURSE_USER' as const }
    const { outcome } = await upsertPeople(db, 'sandbox', [{ ...said, name: `Renamed ${turn}` }])
    assert.equal(outcome, 'done')
    const rows = (await rowsRead()) - before
    assert.ok(rows < FEW, `${rows} people were read`)
  }
})
