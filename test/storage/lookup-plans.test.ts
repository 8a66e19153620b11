import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { lookUp } from '../../src/domain/lookup/lookup-store.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
// One connection, whose plans are then known.
const db = openDatabase({ url: database.url }, { prepare: true, poolSize: 1 })
after(async () => {
  await db.end()
  await database.drop()
})

test('support’s search is not planned anew for every name, however many applications there are', async () => {
  await insertApplication(db, newApplication({ id: 'app_1', name: 'Rostering', type: 'machine' }))
  await db`analyze applications, teams, facilities`
  // As if there were millions: PostgreSQL counts pages, and believes this of how many rows are on each.
  await db`
    update pg_class set reltuples = 5000000, relpages = 1
    where oid in ('applications'::regclass, 'teams'::regclass, 'facilities'::regclass)`
  for (let turn = 0; turn < 20; turn += 1)
    assert.equal((await lookUp(db, `roster${'ing'.slice(0, turn % 4)}`)).length, 1)
  const planned = await db<Array<{ statement: string; custom: number }>>`
    select statement, custom_plans::int as custom from pg_prepared_statements where statement ~ 'lower\\(name'`
  // PostgreSQL always tries five before it keeps one.
  assert.deepEqual(
    planned.map(({ custom }) => custom),
    [5],
  )
})
