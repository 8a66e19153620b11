import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRetryAfter, verdictOf, WAITS } from './retry-schedule.ts'

const HOUR = 3_600

describe('ten attempts, and how long each waits for the next (decision D5)', () => {
  const schedule = [5, 300, 1_800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]

  test('the waits are the decision’s', () => assert.deepEqual([...WAITS], schedule))

  for (const [position, wait] of schedule.entries())
    test(`attempt ${position + 1} waits ${wait} s, and at most a fifth longer`, () => {
      for (const [random, expected] of [
        [0, wait],
        [0.5, wait * 1.1],
        [1, wait * 1.2],
      ] as const) {
        const { outcome, pauseSeconds, disable } = verdictOf({ error: 'timeout' }, position + 1, random)
        assert.ok(outcome.kind === 'retry')
        assert.ok(Math.abs(outcome.afterSeconds - expected) < 1e-6, `${outcome.afterSeconds}`)
        assert.deepEqual([pauseSeconds, disable], [null, false])
      }
    })

  for (const tries of [10, 11, 100])
    test(`attempt ${tries} is the last`, () => {
      assert.equal(verdictOf({ error: 'reset' }, tries, 0).outcome.kind, 'failed')
      assert.equal(verdictOf({ status: 204, retryAfterSeconds: null }, tries, 0).outcome.kind, 'delivered')
    })
})

describe('the status line decides (decision D4)', () => {
  for (const status of [200, 201, 202, 204, 206, 226, 299])
    test(`${status} is success`, () => {
      const verdict = verdictOf({ status, retryAfterSeconds: 60 }, 1, 0)
      assert.deepEqual(verdict, { outcome: { kind: 'delivered' }, pauseSeconds: null, disable: false })
    })
  for (const status of [100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 409, 500, 502, 504, 599, 999])
    test(`${status} is a failure`, () => {
      const { outcome, pauseSeconds, disable } = verdictOf({ status, retryAfterSeconds: 60 }, 1, 0)
      assert.deepEqual([outcome, pauseSeconds, disable], [{ kind: 'retry', afterSeconds: 5 }, null, false])
    })
  test('410 disables', () => assert.equal(verdictOf({ status: 410, retryAfterSeconds: null }, 1, 0).disable, true))
})

describe('Retry-After is a floor for the whole webhook, from 429 and 503 only', () => {
  for (const status of [429, 503])
    for (const [asked, pause, wait] of [
      [null, null, 5],
      [0, null, 5],
      [-60, null, 5],
      [1, 1, 5],
      [120, 120, 120],
      [24 * HOUR, 24 * HOUR, 24 * HOUR],
      [999_999_999, 24 * HOUR, 24 * HOUR],
      [Number.POSITIVE_INFINITY, 24 * HOUR, 24 * HOUR],
    ] as const)
      test(`${status} with ${asked}: paused ${pause}, retried after ${wait}`, () => {
        const { outcome, pauseSeconds } = verdictOf({ status, retryAfterSeconds: asked }, 1, 0)
        assert.deepEqual([outcome, pauseSeconds], [{ kind: 'retry', afterSeconds: wait }, pause])
      })
  test('what was the last attempt pauses the others all the same', () => {
    const { outcome, pauseSeconds } = verdictOf({ status: 429, retryAfterSeconds: 60 }, 10, 0)
    assert.deepEqual([outcome.kind, pauseSeconds], ['failed', 60])
  })
})

describe('reading Retry-After (RFC 9110 10.2.3)', () => {
  const now = new Date('1994-11-06T08:47:37Z')
  for (const [header, seconds] of [
    [undefined, null],
    ['', null],
    ['120', 120],
    [' 120 ', 120],
    ['0', 0],
    ['-5', null],
    ['+5', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['120 s', null],
    ['120, 60', null],
    ['999999999', 999_999_999],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['soon', null],
    ['١٢٠', null],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 120],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 120],
    ['Sun Nov  6 08:49:37 1994', 120],
    ['Sun, 06 Nov 1994 08:45:37 GMT', -120],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['Sun, 06 Nov 1994 08:49:37 PST', null],
    ['Sun, 06 Nov 1994 25:49:37 GMT', null],
    ['Foo, 2099', null],
    ['1994-11-06T08:49:37Z', null],
    ['2099', 2_099],
  ] as const)
    test(`${header?.slice(0, 40)}: ${seconds}`, () => assert.equal(readRetryAfter(header, now), seconds))
})
