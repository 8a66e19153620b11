import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { ensureDeliveryDays, keepRetention } from '../../src/domain/deliveries/retention-store.ts'
import { dayAgo, daysKept, makeDay, queueRows } from '../harness/queue-rows.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database

/** A second more than 30 days; the day in question is the one 30 days ago, but for a second after midnight. */
const JUST_OVER = 30 + 1 / 86_400

const NOUNS = ['events', 'finished_deliveries', 'attempts']

beforeEach(async () => {
  await db`truncate deliveries, event_ids, events, finished_deliveries, attempts`
  await keepRetention(db)
})

async function finished(): Promise<Array<{ id: string; state: string; because: string | null; attempts: number }>> {
  return [
    ...(await db<Array<{ id: string; state: string; because: string | null; attempts: number }>>`
      select id, state, because, attempts from finished_deliveries order by id`),
  ].map((row) => ({ ...row }))
}

test('the days to come are there after a start, and making them again changes nothing', async () => {
  // The database may have been made before midnight.
  await ensureDeliveryDays(db)
  await db.unsafe(`drop table events_${await dayAgo(db, -7)}`)
  await Promise.all(Array.from({ length: 5 }, () => ensureDeliveryDays(db)))
  for (const noun of NOUNS) {
    const days = await daysKept(db, noun)
    assert.equal(days.at(-1), await dayAgo(db, -7))
    assert.ok(days.includes(await dayAgo(db, 0)))
  }
  const before = await daysKept(db, 'events')
  await ensureDeliveryDays(db)
  assert.deepEqual(await daysKept(db, 'events'), before)
})

test('what waits for longer than 30 days has failed, with the reason, and can be read until its day goes', async () => {
  for (const daysAgo of [29, 30, 31]) await makeDay(db, daysAgo)
  const [pending] = await queueRows(db, 1, { daysAgo: JUST_OVER, attempts: 3 })
  const [held] = await queueRows(db, 1, { daysAgo: JUST_OVER, state: 'held' })
  await queueRows(db, 1, { daysAgo: JUST_OVER, leasedForSeconds: 10 })
  await queueRows(db, 1, { daysAgo: 29.9 })
  await queueRows(db, 1)

  const { expired } = await keepRetention(db)
  assert.equal(expired, 2)
  assert.deepEqual(
    await finished(),
    [
      { id: pending, state: 'failed', because: 'expired', attempts: 3 },
      { id: held, state: 'failed', because: 'expired', attempts: 0 },
    ].toSorted((one, other) => String(one.id).localeCompare(String(other.id))),
  )
  const [left] = await db<[{ count: number }]>`select count(*)::int as count from deliveries`
  assert.equal(left.count, 3)
})

test('a resend by hand that is too old goes, and says nothing new of the delivery it was for', async () => {
  await makeDay(db, 30)
  const [id = ''] = await queueRows(db, 1, { daysAgo: JUST_OVER, manual: true })
  await db`
    insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, attempts, created_at)
    select day, id, webhook_id, environment, event_id, event_type, directed, 'delivered', 1, created_at from deliveries`
  assert.equal((await keepRetention(db)).expired, 1)
  assert.deepEqual(await finished(), [{ id, state: 'delivered', because: null, attempts: 1 }])
})

test('days older than 30 days are dropped in all three tables, with the ids of their events; newer ones stay', async () => {
  for (const daysAgo of [60, 31, 30, 29]) await makeDay(db, daysAgo)
  await queueRows(db, 3, { daysAgo: 60 })
  await queueRows(db, 1, { daysAgo: 31 })
  await queueRows(db, 1, { daysAgo: 29.9 })
  await db`delete from deliveries where day < now()::date - 40`

  const { dropped, forgotten } = await keepRetention(db)
  assert.deepEqual(
    dropped.map((day) => day.replaceAll('-', '')),
    [await dayAgo(db, 60), await dayAgo(db, 31)],
  )
  assert.equal(forgotten, 4)
  for (const noun of NOUNS) {
    const days = await daysKept(db, noun)
    assert.ok(!days.includes(await dayAgo(db, 60)) && !days.includes(await dayAgo(db, 31)), noun)
    assert.ok(days.includes(await dayAgo(db, 30)), noun)
  }
  const [ids] = await db<[{ count: number }]>`select count(*)::int as count from event_ids`
  assert.equal(ids.count, 1)
  assert.deepEqual(await keepRetention(db), { expired: 0, dropped: [], forgotten: 0 })
})

test('a day of which something is still being sent stays until that is over', async () => {
  await makeDay(db, 40)
  const [id = ''] = await queueRows(db, 1, { daysAgo: 40, leasedForSeconds: 10 })
  const day = await dayAgo(db, 40)
  assert.deepEqual((await keepRetention(db)).dropped, [])
  for (const noun of NOUNS) assert.ok((await daysKept(db, noun)).includes(day))
  const [ids] = await db<[{ count: number }]>`select count(*)::int as count from event_ids`
  assert.equal(ids.count, 1, 'its event is kept, so its id is too')

  await db`update deliveries set leased_until = now() - interval '1 second' where id = ${id}`
  const { expired, dropped, forgotten } = await keepRetention(db)
  assert.deepEqual([expired, dropped.length, forgotten], [1, 1, 1])
})

test('what outlived its day leaves the queue all the same', async () => {
  await makeDay(db, 45)
  await queueRows(db, 2, { daysAgo: 45 })
  for (const noun of NOUNS) await db.unsafe(`drop table ${noun}_${await dayAgo(db, 45)}`)
  assert.equal((await keepRetention(db)).expired, 2)
  assert.deepEqual(await finished(), [])
})

test('more than one step: 2,500 deliveries and the ids of their events', async () => {
  await makeDay(db, 35)
  await queueRows(db, 2_500, { daysAgo: 35 })
  const { expired, dropped, forgotten } = await keepRetention(db)
  assert.deepEqual([expired, dropped.length, forgotten], [2_500, 1, 2_500])
})

test('a turn ends when its time is over, and the next one goes on', async () => {
  await makeDay(db, 35)
  await queueRows(db, 1_500, { daysAgo: 35 })
  assert.deepEqual(await keepRetention(db, 0), { expired: 0, dropped: [], forgotten: 0 })
  assert.equal((await keepRetention(db)).expired, 1_500)
})

test('a table that somebody reads is left for the next time, and nobody waits behind it for long', async () => {
  await makeDay(db, 33)
  const reading = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const reader = db.begin(async (tx) => {
    await tx`select count(*) from events`
    reading.resolve()
    await done.promise
  })
  await reading.promise
  assert.deepEqual((await keepRetention(db)).dropped, [])
  done.resolve()
  await reader
  assert.equal((await keepRetention(db)).dropped.length, 1)
})

test('several processes at once do the work once', async () => {
  await makeDay(db, 34)
  await queueRows(db, 1_200, { daysAgo: 34 })
  const turns = await Promise.all(Array.from({ length: 4 }, () => keepRetention(db)))
  const last = await keepRetention(db)
  const all = [...turns, last]
  assert.equal(
    all.reduce((sum, { expired }) => sum + expired, 0),
    1_200,
  )
  assert.equal(
    all.reduce((sum, { forgotten }) => sum + forgotten, 0),
    1_200,
  )
  assert.equal(all.flatMap(({ dropped }) => dropped).length, 1)
})

test('a day that another process dropped in between is no failure', async () => {
  for (let ago = 31; ago < 43; ago += 1) await makeDay(db, ago)
  const turns = await Promise.all(Array.from({ length: 6 }, () => keepRetention(db)))
  const all = [...turns, await keepRetention(db)].flatMap(({ dropped }) => dropped)
  assert.equal(all.length, 12)
  assert.equal(new Set(all).size, 12)
})
