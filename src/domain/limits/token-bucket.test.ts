import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCharge, levelAt } from './token-bucket.ts'

const rate = { perSecond: 10, burst: 50 }

const levels: Array<[string, number, number, number]> = [
  ['at the same moment', 20, 0, 20],
  ['a tenth of a second later one more', 20, 100, 21],
  ['a second later ten more', 20, 1_000, 30],
  ['never more than the burst', 20, 1_000_000, 50],
  ['out of debt in its time', -20, 2_000, 0],
]
for (const [title, level, afterMs, expected] of levels) {
  test(`level ${title}`, () => assert.equal(levelAt({ level, at: 1_000 }, rate, 1_000 + afterMs), expected))
}

test('a lower burst that support set counts at once', () => {
  assert.equal(levelAt({ level: 50, at: 0 }, { perSecond: 1, burst: 5 }, 0), 5)
})

const now = 1_700_000_000_000
const charges: Array<[string, number, boolean, { remaining: number; resetAt: number; retryAfterSeconds: number }]> = [
  ['full', 50, true, { remaining: 50, resetAt: 1_700_000_000, retryAfterSeconds: 1 }],
  ['half', 25.9, true, { remaining: 25, resetAt: 1_700_000_003, retryAfterSeconds: 1 }],
  ['nearly one', 0.99, false, { remaining: 0, resetAt: 1_700_000_005, retryAfterSeconds: 1 }],
  ['in debt', -50, false, { remaining: 0, resetAt: 1_700_000_010, retryAfterSeconds: 6 }],
]
for (const [title, level, allowed, expected] of charges) {
  test(`what is said of a bucket that is ${title}`, () => {
    assert.deepEqual(describeCharge(level, rate, allowed, now), { allowed, limit: 50, ...expected })
  })
}
