import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { User } from '../users/user.ts'
import { userClaims } from './claims.ts'

const known: User = {
  id: 'usr_1',
  role: 'NURSE_USER',
  email: 'n@example.com',
  emailVerified: false,
  username: 'n',
  name: 'N Urse',
  nickname: 'N',
  picture: 'https://cdn.example/n.png',
  phoneNumber: '+15550100001',
  phoneNumberVerified: true,
  city: 'Portland',
  state: 'OR',
}
const unknown: User = { ...known, nickname: null, picture: null, phoneNumber: null, city: null, state: null }

const address = { city: 'Portland', state: 'OR', locality: 'Portland', region: 'OR' }
const cases: Array<[string, User, Record<string, unknown>]> = [
  ['', known, {}],
  ['openid', known, {}],
  ['offline_access marketplace:read', known, {}],
  ['profile', known, { name: 'N Urse', nickname: 'N', picture: 'https://cdn.example/n.png' }],
  ['name', known, { name: 'N Urse' }],
  ['email', known, { email: 'n@example.com', email_verified: false }],
  ['phone', known, { phone_number: '+15550100001', phone_number_verified: true }],
  ['address', known, { address }],
  ['role', known, { role: 'NURSE_USER' }],
  ['profile phone address', unknown, { name: 'N Urse' }],
  ['address', { ...unknown, state: 'OR' }, { address: { state: 'OR', region: 'OR' } }],
]
for (const [scope, user, claims] of cases) {
  test(`"${scope}" opens ${Object.keys(claims).join(', ') || 'nothing'} besides sub`, () => {
    assert.deepEqual(userClaims(user, scope.split(' ')), { sub: 'usr_1', ...claims })
  })
}
