import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Ending,
  endingOf,
  isUnchanged,
  mayChange,
  type PersonState,
  personAfter,
  type SaidPerson,
} from './person.ts'

const SAID: SaidPerson = { id: 'p', role: 'NURSE_USER', email: 'p@example.com', emailVerified: true, name: 'P' }
const KNOWN: PersonState = {
  ...SAID,
  username: 'pp',
  nickname: 'N',
  picture: 'https://img.example/p.png',
  phoneNumber: '+15550100001',
  phoneNumberVerified: true,
  city: 'Salem',
  state: 'OR',
  blocked: false,
  madeIn: 'production',
}

test('what is left out stays, what is null is emptied, and the same again is no change', () => {
  assert.ok(isUnchanged(KNOWN, personAfter(KNOWN, SAID, 'production')))
  const emptied = personAfter(KNOWN, { ...SAID, nickname: null, phoneNumber: null }, 'production')
  assert.deepEqual(emptied, { ...KNOWN, nickname: null, phoneNumber: null, phoneNumberVerified: false })
  assert.ok(!isUnchanged(KNOWN, emptied))
})

test('a newcomer is empty but for what is said, and belongs to the key’s environment', () => {
  const { username, blocked, madeIn } = personAfter(null, SAID, 'sandbox')
  assert.deepEqual({ username, blocked, madeIn }, { username: null, blocked: false, madeIn: 'sandbox' })
})

const ENDINGS: Array<[what: string, known: Partial<PersonState>, said: Partial<SaidPerson>, ending: Ending]> = [
  ['nothing new', {}, {}, 'nothing'],
  ['another name', {}, { name: 'Q' }, 'nothing'],
  ['the same address in another case', {}, { email: 'P@EXAMPLE.com' }, 'nothing'],
  ['another address', {}, { email: 'q@example.com' }, 'resets'],
  ['blocked', {}, { blocked: true }, 'access'],
  ['still blocked', { blocked: true }, {}, 'nothing'],
  ['unblocked', { blocked: true }, { blocked: false }, 'access'],
  ['an address that was not verified', { emailVerified: false }, {}, 'everything'],
  ['an address that is not verified any more', {}, { emailVerified: false }, 'nothing'],
  ['not verified, and blocked', { emailVerified: false }, { blocked: true }, 'everything'],
  ['a sandbox person', { madeIn: 'sandbox' }, {}, 'everything'],
  ['who signed up', { madeIn: null }, {}, 'nothing'],
]
for (const [what, known, said, ending] of ENDINGS) {
  test(`a production key says: ${what}; what ends is ${ending}`, () => {
    const before = { ...KNOWN, ...known }
    assert.equal(endingOf(before, personAfter(before, { ...SAID, ...said }, 'production')), ending)
  })
}

test('a sandbox key changes sandbox people only, and they stay sandbox people', () => {
  assert.deepEqual(
    (['production', 'sandbox', null] as const).map((madeIn) => [
      mayChange('production', madeIn),
      mayChange('sandbox', madeIn),
    ]),
    [
      [true, false],
      [true, true],
      [true, false],
    ],
  )
  const before: PersonState = { ...KNOWN, madeIn: 'sandbox' }
  assert.equal(endingOf(before, personAfter(before, SAID, 'sandbox')), 'nothing')
})
