import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createCipher } from './cipher.ts'

const key = randomBytes(32)

test('what was encrypted opens again with the same key and context', () => {
  const cipher = createCipher(key)
  assert.equal(cipher.decrypt(cipher.encrypt('whsec_x', 'webhook 1'), 'webhook 1').toString(), 'whsec_x')
  assert.deepEqual(cipher.decrypt(cipher.encrypt(key, 'a'), 'a'), key)
  assert.equal(cipher.decrypt(cipher.encrypt('', 'empty'), 'empty').length, 0)
})

test('the same text never encrypts to the same bytes', () => {
  const cipher = createCipher(key)
  assert.notDeepEqual(cipher.encrypt('x', 'c'), cipher.encrypt('x', 'c'))
})

test('another context, another key and every changed byte are refused', () => {
  const cipher = createCipher(key)
  const sealed = cipher.encrypt('secret', 'webhook 1')
  assert.throws(() => cipher.decrypt(sealed, 'webhook 2'))
  assert.throws(() => createCipher(randomBytes(32)).decrypt(sealed, 'webhook 1'))
  for (let position = 0; position < sealed.length; position++) {
    const changed = Buffer.from(sealed)
    changed[position] = (changed[position] ?? 0) ^ 1
    assert.throws(() => cipher.decrypt(changed, 'webhook 1'), `byte ${position}`)
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => cipher.decrypt(sealed.subarray(0, length), 'webhook 1'), `cut to ${length}`)
  }
})

test('after a rotation the new key encrypts and the previous one still opens', () => {
  const before = createCipher(key)
  const after = createCipher(randomBytes(32), [key])
  assert.equal(after.decrypt(before.encrypt('old', 'c'), 'c').toString(), 'old')
  assert.throws(() => before.decrypt(after.encrypt('new', 'c'), 'c'))
  assert.notEqual(before.keyId, after.keyId)
})

test('derived material is stable, differs by purpose, and is not the key id', () => {
  const cipher = createCipher(key)
  assert.deepEqual(cipher.derive('a', 32), createCipher(key).derive('a', 32))
  assert.notDeepEqual(cipher.derive('a', 32), cipher.derive('b', 32))
  assert.equal(cipher.keyId.length, 16)
})
