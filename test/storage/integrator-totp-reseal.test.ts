import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import {
  enrolIntegratorTotp,
  resealIntegratorTotpSecrets,
  useIntegratorCode,
} from '../../src/domain/integrators/integrator-totp-store.ts'
import { newTotpSecret, stepAt, totpCode } from '../../src/domain/users/totp.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const { db, drop } = await createTestDatabase()
after(drop)

test('after a new master key integrators still sign in with their codes, and the old key opens nothing any more', async () => {
  const [before, since] = [randomBytes(32), randomBytes(32)]
  const id = 'int_1'
  const secret = newTotpSecret()
  await insertIntegrator(db, { id, email: 'a@example.com', name: 'Ann', passwordHash: 'none' })
  await enrolIntegratorTotp(db, createCipher(before), { id, secret, step: 0, recoveryCodes: [] })
  assert.equal(await resealIntegratorTotpSecrets(db, createCipher(since, [before])), 1)
  const now = new Date()
  const code = totpCode(secret, stepAt(now))
  await assert.rejects(useIntegratorCode(db, createCipher(before), { id, code, now }))
  assert.ok(await useIntegratorCode(db, createCipher(since), { id, code, now }))
})
