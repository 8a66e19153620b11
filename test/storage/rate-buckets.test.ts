import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetFullBuckets, settleBuckets } from '../../src/domain/limits/rate-bucket-store.ts'
import { type RateLimiter, startRateLimiter } from '../../src/domain/limits/rate-limiter.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database
const SETTLED_MS = 350

const limiters: RateLimiter[] = []
afterEach(async () => {
  await Promise.all(limiters.splice(0).map((each) => each.stop()))
})
function limiter(): RateLimiter {
  const started = startRateLimiter(db, (error) => assert.ifError(error))
  limiters.push(started)
  return started
}

/** Everybody asks as fast as they can; answers how many passed. */
async function hammer(together: RateLimiter[], key: string, rate: { perSecond: number; burst: number }, ms: number) {
  let passed = 0
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(2)) {
    for (const one of together) while (one.charge(key, rate).allowed) passed += 1
  }
  return passed
}

test('one process: the burst, then the rate', async () => {
  const rate = { perSecond: 40, burst: 20 }
  const began = Date.now()
  const passed = await hammer([limiter()], 'one', rate, 1_000)
  const due = rate.burst + (rate.perSecond * (Date.now() - began)) / 1_000
  assert.ok(passed <= due + 1, `${passed} passed, ${due} were due`)
  assert.ok(passed > rate.burst, `${passed} passed: it refills`)
})

test('two processes: one burst too many at most, and it is paid back', async () => {
  const rate = { perSecond: 40, burst: 20 }
  const together = [limiter(), limiter()]
  const began = Date.now()
  const atOnce = await hammer(together, 'two', rate, 50)
  assert.ok(atOnce <= 2 * rate.burst + 5, `${atOnce} passed at once`)
  const passed = atOnce + (await hammer(together, 'two', rate, 2_000))
  const due = rate.burst + (rate.perSecond * (Date.now() - began)) / 1_000
  assert.ok(passed <= due + 10, `${passed} passed, ${due} were due`)
  assert.ok(passed > rate.burst, `${passed} passed: it refills`)
})

test('what one process spent the other hears of with its next request', async () => {
  const rate = { perSecond: 1, burst: 10 }
  const [first, second] = [limiter(), limiter()]
  while (first.charge('heard', rate).allowed);
  await sleep(SETTLED_MS)
  assert.ok(second.charge('heard', rate).allowed, 'it could not know yet')
  await sleep(SETTLED_MS)
  assert.equal(second.charge('heard', rate).allowed, false)
})

test('one key never uses up another’s', async () => {
  const rate = { perSecond: 1, burst: 3 }
  const one = limiter()
  while (one.charge('greedy', rate).allowed);
  await sleep(SETTLED_MS)
  assert.equal(one.charge('modest', rate).remaining, 2)
})

test('a database that does not answer for a while: the limit goes on locally, and is told afterwards', async () => {
  const rate = { perSecond: 1, burst: 10 }
  let failures = 0
  const one = startRateLimiter(db, () => {
    failures += 1
  })
  await db`alter table rate_buckets rename to hidden`
  let passed = 0
  while (one.charge('outage', rate).allowed) passed += 1
  await sleep(SETTLED_MS)
  assert.equal(passed, 10)
  assert.ok(failures > 0)
  assert.equal(one.charge('outage', rate).allowed, false)
  await db`alter table hidden rename to rate_buckets`
  await sleep(SETTLED_MS)
  const [row] = await db<Array<{ level: number }>>`select level from rate_buckets where key = 'outage'`
  assert.ok(row && row.level < 1, 'nothing was lost')
  await one.stop()
})

test('settling: spent together, refilled by the rate, never above the burst, and debt is paid back', async () => {
  const rate = { perSecond: 0.001, burst: 10 }
  const settle = async (spent: number) =>
    Math.round((await settleBuckets(db, [{ key: 's', spent, rate }])).get('s') ?? NaN)
  assert.equal(await settle(4), 6)
  assert.equal(await settle(4), 2)
  assert.equal(await settle(4), -2)
  assert.equal(await settle(8), -10)
  await db`update rate_buckets set updated_at = now() - interval '10000 seconds' where key = 's'`
  assert.equal(await settle(0), 0)
  await db`update rate_buckets set updated_at = now() - interval '1 year' where key = 's'`
  assert.equal(await settle(1), 9)
})

test('many processes settle many buckets at the same moment without a deadlock, and nothing is lost', async () => {
  const rate = { perSecond: 0.000001, burst: 1_000 }
  const keys = Array.from({ length: 20 }, (_, number) => `deadlock ${number}`)
  const work = Array.from({ length: 100 }, (_, turn) => {
    const mine = turn % 2 === 0 ? keys : keys.toReversed()
    return settleBuckets(
      db,
      mine.map((key) => ({ key, spent: 1, rate })),
    )
  })
  await Promise.all(work)
  const rows = await db<Array<{ level: number }>>`select level from rate_buckets where key like 'deadlock %'`
  assert.equal(rows.length, 20)
  for (const { level } of rows) assert.equal(Math.round(level), 900)
})

test('a bucket that nobody used for an hour is forgotten, which is the same as full', async () => {
  const rate = { perSecond: 1, burst: 5 }
  await settleBuckets(db, [
    { key: 'left', spent: 1, rate },
    { key: 'used', spent: 1, rate },
  ])
  await db`update rate_buckets set updated_at = now() - interval '61 minutes' where key = 'left'`
  await forgetFullBuckets(db)
  const rows = await db<Array<{ key: string }>>`select key from rate_buckets where key in ('left', 'used')`
  assert.deepEqual(
    rows.map(({ key }) => key),
    ['used'],
  )
})
