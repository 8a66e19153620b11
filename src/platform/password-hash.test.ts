import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswordHasher } from './password-hash.ts'

test('a password verifies against its own hash and no other does', async () => {
  const passwords = createPasswordHasher()
  const stored = (await passwords.hash('correct horse')) ?? ''
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await passwords.verify('correct horse', stored), 'match')
  assert.equal(await passwords.verify('correct horse ', stored), 'mismatch')
  assert.equal(await passwords.verify('', stored), 'mismatch')
})

test('composed and decomposed letters are the same password', async () => {
  const passwords = createPasswordHasher()
  const stored = (await passwords.hash('pássword')) ?? ''
  assert.equal(await passwords.verify('pássword', stored), 'match')
})

test("a hash made by the reference implementation's command line verifies", async () => {
  // printf %s password | argon2 somesalt -id -t 2 -k 65536 -p 1 -l 32 -e   (test vector of phc-winner-argon2)
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await createPasswordHasher().verify('password', reference), 'match')
})

test('when too many are waiting, the next is turned away and the others are served', async () => {
  const passwords = createPasswordHasher(60_000, { atOnce: 1, waiting: 2 })
  const stored = (await passwords.hash('x')) ?? ''
  const answers = await Promise.all(Array.from({ length: 5 }, () => passwords.verify('x', stored)))
  assert.deepEqual(answers, ['match', 'match', 'match', 'busy', 'busy'])
  assert.equal(await passwords.verify('x', stored), 'match')
})
