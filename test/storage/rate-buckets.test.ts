import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetFullBuckets, settleBuckets } from '../../src/domain/limits/rate-bucket-store.ts'
import { type RateLimiter, startRateLimiter } from '../../src/domain/limits/rate-limiter.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database

const limiters: RateLimiter[] = []
afterEach(async () => {
  await Promise.all(limiters.splice(0).map((each) => each.stop()))
})
function limiter(failed: (error: unknown) => void = (error) => assert.ifError(error)): RateLimiter {
  const started = startRateLimiter(db, failed)
  limiters.push(started)
  return started
}

/** So slow that nothing comes back while a test runs, however long that takes. */
const SLOW = { perSecond: 0.001, burst: 10 }

/** Waits until the processes have told that so many were spent of a slow bucket. */
async function assertTold(key: string, spent: number): Promise<void> {
  const told = async () => {
    const [row] = await db<Array<{ level: number }>>`select level from rate_buckets where key = ${key}`
    return row !== undefined && Math.round(row.level) === SLOW.burst - spent
  }
  assert.ok(await soon(told, PATIENCE_MS), `${spent} of ${key} were told`)
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
  const one = [limiter()]
  const began = Date.now()
  let passed = await hammer(one, 'one', rate, 900)
  // Nothing comes back while the database is being told, and on a busy machine that can be long.
  const refilled = async () => {
    passed += await hammer(one, 'one', rate, 100)
    return passed > rate.burst
  }
  assert.ok(await soon(refilled, PATIENCE_MS), `${passed} passed: it refills`)
  const due = rate.burst + (rate.perSecond * (Date.now() - began)) / 1_000
  assert.ok(passed <= due + 1, `${passed} passed, ${due} were due`)
})

test('two processes: one burst too many at most, and it is paid back', async () => {
  const rate = { perSecond: 40, burst: 20 }
  const together = [limiter(), limiter()]
  const began = Date.now()
  const due = () => rate.burst + (rate.perSecond * (Date.now() - began)) / 1_000
  let passed = await hammer(together, 'two', rate, 50)
  assert.ok(passed <= 2 * due() + 1, `${passed} passed at once`)
  passed += await hammer(together, 'two', rate, 1_900)
  // What they spent a moment ago they have not told each other yet, and on a busy machine that moment can be long.
  const paidBack = async () => {
    passed += await hammer(together, 'two', rate, 100)
    return passed <= due() + 10
  }
  assert.ok(await soon(paidBack, PATIENCE_MS), `${passed} passed, ${due()} were due`)
  assert.ok(passed > rate.burst, `${passed} passed: it refills`)
})

test('what one process spent the other hears of with its next request', async () => {
  const [first, second] = [limiter(), limiter()]
  while (first.charge('heard', SLOW).allowed);
  await assertTold('heard', 10)
  assert.ok(second.charge('heard', SLOW).allowed, 'it could not know yet')
  await assertTold('heard', 11)
  // Only so that the answer to what it told has arrived.
  await second.stop()
  assert.equal(second.charge('heard', SLOW).allowed, false)
})

test('one key never uses up another’s', async () => {
  const one = limiter()
  while (one.charge('greedy', SLOW).allowed);
  await assertTold('greedy', 10)
  assert.equal(one.charge('modest', SLOW).remaining, 9)
})

test('a database that does not answer for a while: the limit goes on locally, and is told afterwards', async () => {
  let failures = 0
  const one = limiter(() => {
    failures += 1
  })
  await db`alter table rate_buckets rename to hidden`
  let passed = 0
  while (one.charge('outage', SLOW).allowed) passed += 1
  assert.equal(passed, 10)
  assert.ok(await soon(async () => failures > 0, PATIENCE_MS))
  assert.equal(one.charge('outage', SLOW).allowed, false)
  await db`alter table hidden rename to rate_buckets`
  await assertTold('outage', 10)
})

test('a long time without the database: who keeps to the rate is refused neither then nor afterwards', async () => {
  const rate = { perSecond: 200, burst: 10 }
  const one = limiter(() => {})
  await db`alter table rate_buckets rename to hidden`
  let passed = 0
  for (const deadline = performance.now() + 1_200; performance.now() < deadline; passed += 1) {
    assert.ok(one.charge('patient', rate).allowed, `after ${passed}`)
    await sleep(10)
  }
  await db`alter table hidden rename to rate_buckets`
  const level = async () =>
    (await db<Array<{ level: number }>>`select level from rate_buckets where key = 'patient'`)[0]?.level
  assert.ok(await soon(async () => (await level()) !== undefined, PATIENCE_MS))
  assert.ok(((await level()) ?? NaN) > 0, `${passed} passed, and ${await level()} are left`)
  assert.ok(one.charge('patient', rate).allowed)
})

test('the clock of this machine is set back by an hour: nobody is refused for it', (t) => {
  const one = limiter()
  const rate = { perSecond: 1, burst: 10 }
  assert.ok(one.charge('set back here', rate).allowed)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  const { allowed, remaining } = one.charge('set back here', rate)
  assert.deepEqual({ allowed, remaining }, { allowed: true, remaining: 8 })
})

test('the clock of the database is set back by an hour: nothing is owed for it, and it refills', async () => {
  const rate = { perSecond: 0.001, burst: 10 }
  const settle = async (spent: number) =>
    Math.round((await settleBuckets(db, [{ key: 'set back', spent, rate }])).get('set back') ?? NaN)
  assert.equal(await settle(5), 5)
  await db`update rate_buckets set updated_at = now() + interval '1 hour' where key = 'set back'`
  assert.equal(await settle(1), 4)
  assert.equal(await settle(1), 3)
  const [row] = await db<[{ ahead: boolean }]>`
    select updated_at > now() + interval '2 seconds' as ahead from rate_buckets where key = 'set back'`
  assert.equal(row.ahead, false)
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
