import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRevocations } from './revocations.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const seconds = (count: number) => new Date(noon + count * 1_000)
const token = { jti: 'grt_1.abc', sub: 'usr_1', clientId: 'app_1', issuedAt: noon / 1_000 }
const announced = (key: string, at = 0) => ({
  topic: 'revocation',
  key,
  issuedBefore: seconds(at),
  until: seconds(at + 4_200),
})

const cases: Array<[boolean, string, string, number]> = [
  [true, 'the token itself', 'token grt_1.abc', 0],
  [false, 'another token', 'token grt_1.abd', 0],
  [true, 'its grant', 'grant grt_1', 0],
  [true, 'its grant, before it was issued: a grant ends for good', 'grant grt_1', -60],
  [false, 'a grant whose name begins alike', 'grant grt_', 0],
  [true, 'its person, after it was issued', 'user usr_1', 1],
  [true, 'its person, in the same second', 'user usr_1', 0],
  [false, 'its person, before it was issued: they signed in again', 'user usr_1', -1],
  [false, 'another person', 'user usr_2', 1],
  [true, 'its person at its application', 'user usr_1 at app_1', 1],
  [false, 'its person at another application', 'user usr_1 at app_2', 1],
]
for (const [hit, title, key, at] of cases) {
  test(`${hit ? 'hits' : 'misses'}: ${title}`, () => {
    const revocations = createRevocations(() => seconds(0))
    revocations.receive(announced(key, at))
    assert.equal(revocations.hits(token), hit)
  })
}

test('nothing is revoked at first', () => {
  assert.equal(createRevocations(() => seconds(0)).hits(token), false)
})

test('an application’s own token has no grant', () => {
  const revocations = createRevocations(() => seconds(0))
  revocations.receive(announced('grant '))
  assert.equal(revocations.hits({ ...token, jti: 'abc', sub: 'app:app_1' }), false)
})

test('the later of two revocations of a person counts, whichever comes first', () => {
  for (const order of [
    [-10, 10],
    [10, -10],
  ]) {
    const revocations = createRevocations(() => seconds(0))
    for (const at of order) revocations.receive(announced('user usr_1', at))
    assert.equal(revocations.hits(token), true)
  }
})

test('what no token can be hit by any more is forgotten', () => {
  let now = seconds(0)
  const revocations = createRevocations(() => now)
  revocations.receive(announced('grant grt_1'))
  now = seconds(4_201)
  for (let count = 0; count < 1_000; count += 1) revocations.receive(announced(`grant other_${count}`, 4_200))
  assert.equal(revocations.hits(token), false)
})
