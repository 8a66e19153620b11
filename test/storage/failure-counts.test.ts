import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type Attempt,
  countAttempt,
  type FailureLimit,
  forgetEndedWindows,
  forgive,
} from '../../src/domain/limits/failure-store.ts'
import { signInLimits } from '../../src/domain/limits/sign-in-limits.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database

const limit = (key: string, failures: number): FailureLimit => ({ key, failures, windowSeconds: 900 })

async function attempts(count: number, limits: FailureLimit[]): Promise<Attempt[]> {
  const made: Attempt[] = []
  for (let turn = 0; turn < count; turn += 1) made.push(await countAttempt(db, limits))
  return made
}

const allowed = (made: Attempt[]) => made.filter((attempt) => attempt.allowed).length

test('as many failures as the limit says, then none until the window ends', async () => {
  const limits = [limit('window', 3)]
  assert.equal(allowed(await attempts(5, limits)), 3)
  const refused = await countAttempt(db, limits)
  assert.ok(!refused.allowed && refused.retryAfterSeconds > 890 && refused.retryAfterSeconds <= 900)
  await db`update failure_counts set window_ends_at = now() - interval '1 second' where key = 'window'`
  assert.equal(allowed(await attempts(5, limits)), 3, 'a new window begins with the first failure after it')
})

test('attempts at the same moment cannot slip through together', async () => {
  const limits = [limit('parallel', 10), limit('parallel, all', 100)]
  const made = await Promise.all(Array.from({ length: 40 }, () => countAttempt(db, limits)))
  assert.equal(allowed(made), 10)
})

test('an attempt that was refused is not a failure: one address alone cannot use up the limit of an account', async () => {
  const attacked = signInLimits('victim@example.com', '203.0.113.1').all
  assert.equal(allowed(await attempts(150, attacked)), 10)
  assert.deepEqual(await countAttempt(db, signInLimits('victim@example.com', '198.51.100.1').all), { allowed: true })
})

test('an account takes a hundred failures an hour from everywhere together', async () => {
  const made: Attempt[] = []
  for (let turn = 0; turn < 12; turn += 1) {
    made.push(...(await attempts(10, signInLimits('many@example.com', `198.51.100.${turn}`).all)))
  }
  assert.equal(allowed(made), 100)
})

test('a success takes its own attempt back, and what it clears begins anew', async () => {
  const [pair, account] = [limit('pair', 3), limit('account', 4)]
  await attempts(3, [pair, account])
  await forgive(db, [pair, account], [pair])
  assert.equal(allowed(await attempts(5, [pair, account])), 2, 'two are left of the account’s four')
})

test('counting and forgiving at the same moment never deadlock', async () => {
  const keys = ['c', 'a', 'e', 'b', 'd'].map((key) => limit(`busy ${key}`, 1_000_000))
  const work = Array.from({ length: 400 }, (_, turn) => {
    const mine = turn % 3 === 0 ? keys : keys.toReversed()
    return turn % 2 === 0 ? countAttempt(db, mine) : forgive(db, mine, mine.slice(0, turn % 4))
  })
  const failed = (await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')
  assert.deepEqual(failed, [])
})

test('ended windows are forgotten, running ones are not', async () => {
  await attempts(1, [limit('ended', 1), limit('running', 1)])
  await db`update failure_counts set window_ends_at = now() - interval '1 second' where key = 'ended'`
  await forgetEndedWindows(db)
  const kept = await db`select key from failure_counts where key in ('ended', 'running')`
  assert.deepEqual(
    kept.map(({ key }) => String(key)),
    ['running'],
  )
})
