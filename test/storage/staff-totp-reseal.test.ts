import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { enrolAccountTotp, resealAccountTotp, useAccountCode } from '../../src/domain/credentials/account-totp-store.ts'
import { STAFF } from '../../src/domain/staff/staff.ts'
import { insertStaff } from '../../src/domain/staff/staff-store.ts'
import { newTotpSecret, stepAt, totpCode } from '../../src/domain/users/totp.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const { db, drop } = await createTestDatabase()
after(drop)

test('after a new master key staff still sign in with their codes, and the old key opens nothing any more', async () => {
  const [before, since] = [randomBytes(32), randomBytes(32)]
  const id = 'stf_1'
  const secret = newTotpSecret()
  await insertStaff(db, { id, email: 'a@example.com', name: 'Sam', passwordHash: null })
  await enrolAccountTotp(db, STAFF, createCipher(before), { id, secret, step: 0, recoveryCodes: [] })
  assert.equal(await resealAccountTotp(db, STAFF, createCipher(since, [before])), 1)
  const now = new Date()
  const code = totpCode(secret, stepAt(now))
  await assert.rejects(useAccountCode(db, STAFF, createCipher(before), { id, code, now }))
  assert.ok(await useAccountCode(db, STAFF, createCipher(since), { id, code, now }))
  assert.ok(!(await useAccountCode(db, STAFF, createCipher(since), { id, code, now })), 'used already')
})
