import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { forgetOldAccountResets } from '../../src/domain/credentials/account-reset-store.ts'
import { forgetExpiredAccountSessions } from '../../src/domain/credentials/account-session-store.ts'
import { forgetPendingAccounts } from '../../src/domain/credentials/pending-sign-in-store.ts'
import { STAFF } from '../../src/domain/staff/staff.ts'
import { insertStaff } from '../../src/domain/staff/staff-store.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const { db, drop } = await createTestDatabase()
after(drop)

test('what is over is forgotten, and what is not stays: sessions, sign-ins, links of staff', async () => {
  await insertStaff(db, { id: 'stf_1', email: 'a@example.com', name: 'Sam', passwordHash: null })
  for (const [name, age] of [
    ['old', '-2 days'],
    ['live', '1 minute'],
  ] as const) {
    await db`
      insert into staff_sessions (secret_hash, sid, staff_id, expires_at)
      values (${Buffer.from(name)}, ${name}, 'stf_1', now() + ${age}::interval)`
    await db`
      insert into staff_pending_sign_ins (browser_hash, staff_id, expires_at)
      values (${Buffer.from(name)}, 'stf_1', now() + ${age}::interval)`
    await db`
      insert into staff_password_resets (secret_hash, staff_id, expires_at)
      values (${Buffer.from(name)}, 'stf_1', now() + ${age}::interval)`
  }
  await forgetExpiredAccountSessions(db, STAFF)
  await forgetPendingAccounts(db, STAFF)
  await forgetOldAccountResets(db, STAFF)
  for (const [table, column] of [
    ['staff_sessions', 'secret_hash'],
    ['staff_pending_sign_ins', 'browser_hash'],
    ['staff_password_resets', 'secret_hash'],
  ] as const) {
    const rows = await db<Array<{ name: string }>>`select convert_from(${db(column)}, 'utf8') as name from ${db(table)}`
    assert.deepEqual([...rows], [{ name: 'live' }], table)
  }
})
