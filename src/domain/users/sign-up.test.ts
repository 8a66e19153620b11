import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSignUp, type SignUpField, type SignUpTyped } from './sign-up.ts'

const RIGHT: SignUpTyped = {
  role: 'NURSE_USER',
  name: ' Ann  Lee ',
  nickname: null,
  email: ' Ann.Lee+work@mail.Example.com ',
  username: ' Ann_Lee ',
  password: 'tangerine boat',
  phoneNumber: '+1 (555) 010-0001',
  city: null,
  state: 'OR',
}

test('what is typed is tidied; the password is not', () => {
  assert.deepEqual(readSignUp({ ...RIGHT, password: ' two spaces ' }), {
    person: {
      role: 'NURSE_USER',
      name: 'Ann Lee',
      nickname: null,
      email: 'Ann.Lee+work@mail.Example.com',
      username: 'Ann_Lee',
      password: ' two spaces ',
      phoneNumber: '+15550100001',
      city: null,
      state: 'OR',
    },
  })
})

test('everything that is wrong is said at once', () => {
  const empty = { role: null, name: null, nickname: null, email: null, username: null, password: null }
  const read = readSignUp({ ...empty, phoneNumber: 'x', city: '\u0007', state: null })
  assert.ok('faults' in read)
  assert.deepEqual(Object.keys(read.faults).toSorted(), ['city', 'email', 'name', 'password', 'phoneNumber', 'role'])
})

const WRONG: Array<[SignUpField, string]> = [
  ['role', 'ADMIN'],
  ['email', 'ann'],
  ['email', 'ann@localhost'],
  ['email', 'ann@example..com'],
  ['email', 'ann@-example.com'],
  ['email', 'ann lee@example.com'],
  ['email', 'ann@example.com,bob@example.com'],
  ['email', 'Ann <ann@example.com>'],
  ['email', 'ann@example.com\r\nBcc: bob@example.com'],
  ['email', 'ａnn@example.com'],
  ['email', 'ann@exämple.com'],
  ['email', `${'a'.repeat(65)}@example.com`],
  ['email', `a@${'a.'.repeat(130)}com`],
  ['username', 'an'],
  ['username', 'ann@home'],
  ['username', 'ann lee'],
  ['username', '-ann'],
  ['username', 'änn'],
  ['username', 'x'.repeat(33)],
]
for (const [field, value] of WRONG) {
  test(`${field} ${JSON.stringify(value.slice(0, 50))} is refused, and only that field`, () => {
    const read = readSignUp({ ...RIGHT, [field]: value })
    assert.ok('faults' in read)
    assert.deepEqual(Object.keys(read.faults), [field])
  })
}
