import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import {
  insertApplication,
  insertApplicationSecret,
  writeSecretUses,
} from '../../src/domain/applications/application-store.ts'
import { startSecretUses } from '../../src/domain/applications/secret-uses.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database

const ids: string[] = []
before(async () => {
  await insertApplication(db, newApplication({ id: 'app_1', name: 'Test', type: 'web' }))
  for (let number = 0; number < 20; number += 1) await insertApplicationSecret(db, 'app_1', 'test', `secret ${number}`)
  const rows = await db<Array<{ id: string }>>`select id from application_secrets order by id`
  ids.push(...rows.map(({ id }) => id))
})

const lastUse = async (id = '') =>
  (await db<Array<{ at: Date | null }>>`select last_used_at as at from application_secrets where id = ${id}`)[0]?.at ??
  null

test('the last use of a secret is written at the latest when the service stops', async () => {
  const uses = startSecretUses(db, (error) => assert.ifError(error))
  const at = new Date()
  uses.used(ids[0] ?? '', at)
  assert.equal(await lastUse(ids[0]), null, 'not while the token is waited for')
  await uses.stop()
  assert.deepEqual(await lastUse(ids[0]), at)
})

test('a later use is never overwritten by an earlier one of another process', async () => {
  const [late, early] = [new Date('2026-01-02T00:00:00Z'), new Date('2026-01-01T00:00:00Z')]
  for (const at of [late, early]) await writeSecretUses(db, new Map([[ids[1] ?? '', at]]))
  assert.deepEqual(await lastUse(ids[1]), late)
})

test('what could not be written is written later', async () => {
  let failures = 0
  const uses = startSecretUses(db, () => void (failures += 1), 20)
  await db`alter table application_secrets rename to hidden`
  const at = new Date()
  uses.used(ids[2] ?? '', at)
  assert.ok(await soon(async () => failures > 0, PATIENCE_MS))
  await db`alter table hidden rename to application_secrets`
  assert.ok(await soon(async () => (await lastUse(ids[2]))?.getTime() === at.getTime(), PATIENCE_MS))
  await uses.stop()
})

test('processes that write the same secrets at the same moment never deadlock', async () => {
  const at = new Date()
  const work = Array.from({ length: 200 }, (_, turn) => {
    const mine = turn % 2 === 0 ? ids : ids.toReversed()
    return writeSecretUses(db, new Map(mine.map((id) => [id, new Date(at.getTime() + turn)])))
  })
  await Promise.all(work)
  assert.deepEqual(await lastUse(ids[3]), new Date(at.getTime() + 199))
})
