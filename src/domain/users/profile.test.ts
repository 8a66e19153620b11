import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Profile, readProfile, type Typed } from './profile.ts'

const EMPTY: Typed = { name: 'Ann', nickname: null, picture: null, phoneNumber: null, city: null, state: null }

test('what is typed is tidied, and nothing is null', () => {
  const read = readProfile({
    name: '  Ann   Lee ',
    nickname: ' ',
    picture: ' https://img.example/a.png?x=1 ',
    phoneNumber: '+1 (555) 010-0001',
    city: 'São Paulo'.normalize('NFD'),
    state: 'SP',
  })
  assert.deepEqual(read, {
    kind: 'profile',
    profile: {
      name: 'Ann Lee',
      nickname: null,
      picture: 'https://img.example/a.png?x=1',
      phoneNumber: '+15550100001',
      city: 'São Paulo'.normalize('NFC'),
      state: 'SP',
    },
  })
})

const FAULTY: Array<[field: keyof Profile, typed: string | null]> = [
  ['name', null],
  ['name', ' '],
  ['name', 'x'.repeat(101)],
  ['name', 'Ann\u202eeel'],
  ['name', 'Ann\nLee'],
  ['nickname', 'x'.repeat(51)],
  ['nickname', '\u0007'],
  ['city', 'x'.repeat(101)],
  ['state', 'x'.repeat(51)],
  ['phoneNumber', '12'],
  ['phoneNumber', 'call me'],
  ['phoneNumber', '+1234567890123456'],
  ['picture', 'http://img.example/a.png'],
  ['picture', 'javascript:alert(1)'],
  ['picture', 'data:image/png;base64,AAAA'],
  ['picture', '//img.example/a.png'],
  ['picture', 'https://'],
  ['picture', 'https://user:pass@img.example/a.png'],
  ['picture', 'https://img.example/a b.png'],
  ['picture', `https://img.example/${'x'.repeat(1_000)}`],
]

for (const [field, typed] of FAULTY) {
  test(`${field} ${JSON.stringify(typed?.slice(0, 40) ?? null)} is refused, and only that field`, () => {
    const read = readProfile({ ...EMPTY, [field]: typed })
    assert.ok(read.kind === 'faulty')
    assert.deepEqual(Object.keys(read.faults), [field])
  })
}
