import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { announce, followAnnouncements, forgetOldAnnouncements } from '../../src/platform/announcements.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createDatabaseClock } from '../../src/platform/database-clock.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { OutOfTime } from '../../src/platform/within.ts'
import { soonHeard } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database
const { ask: askTime } = createDatabaseClock(systemClock)

const follower = async () => {
  const heard: string[] = []
  const feed = await followAnnouncements(
    db,
    (announcements) => void heard.push(...announcements.map(({ key }) => key)),
    // A look that a busy machine held up is given up and made again, which is not what these tests are about.
    (error) => error instanceof OutOfTime || assert.ifError(error),
    askTime,
  )
  return { heard, stop: feed.stop }
}
const tell = (
  key: string,
  more: { forSeconds?: number; once?: boolean } = {},
  tx: Parameters<typeof announce>[0] = db,
) => announce(tx, { topic: 'test', key, forSeconds: 60, ...more })

test('what is announced is heard within a second, by every follower, once', async () => {
  const followers = [await follower(), await follower()]
  await tell('one')
  for (const { heard } of followers) assert.ok(await soonHeard(db, async () => heard.includes('one')))
  await sleep(700)
  for (const { heard, stop } of followers) {
    assert.deepEqual(
      heard.filter((key) => key === 'one'),
      ['one'],
    )
    await stop()
  }
})

test('a transaction that announces first and commits last is not missed', async () => {
  const { heard, stop } = await follower()
  let commit = () => {}
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve
  })
  const slow = db.begin(async (tx) => {
    await tell('slow', {}, tx)
    await mayCommit
  })
  await tell('quick 1')
  assert.ok(await soonHeard(db, async () => heard.includes('quick 1')))
  await tell('quick 2')
  assert.ok(await soonHeard(db, async () => heard.includes('quick 2')))
  assert.ok(!heard.includes('slow'), 'it is not known before it happened')
  commit()
  await slow
  assert.ok(await soonHeard(db, async () => heard.includes('slow')))
  await stop()
})

test('what is rolled back is never heard', async () => {
  const { heard, stop } = await follower()
  const rolledBack = db.begin(async (tx) => {
    await tell('rolled back', {}, tx)
    throw new Error('rolled back')
  })
  await assert.rejects(rolledBack)
  await tell('after it')
  assert.ok(await soonHeard(db, async () => heard.includes('after it')))
  assert.ok(!heard.includes('rolled back'))
  await stop()
})

test('many transactions that overlap in every way: each is heard exactly once', async () => {
  const many = openDatabase({ url: database.url }, { prepare: true, poolSize: 20 })
  const { heard, stop } = await follower()
  const keys = Array.from({ length: 150 }, (_, turn) => `many ${turn}`)
  await Promise.all(
    keys.map((key, turn) =>
      many.begin(async (tx) => {
        await tell(key, {}, tx)
        await sleep((turn * 37) % 120)
      }),
    ),
  )
  const mine = () => heard.filter((key) => key.startsWith('many '))
  assert.ok(await soonHeard(db, async () => mine().length >= keys.length))
  await sleep(400)
  assert.deepEqual(mine().toSorted(), keys.toSorted())
  await stop()
  await many.end()
})

test('who begins to follow hears what still matters, and not what is over', async () => {
  await tell('matters')
  await tell('over', { forSeconds: -1 })
  const { heard, stop } = await follower()
  assert.ok(heard.includes('matters'))
  assert.ok(!heard.includes('over'))
  await stop()
})

test('once: the same thing again is one row', async () => {
  for (let turn = 0; turn < 3; turn += 1) await tell('only once', { once: true })
  for (let turn = 0; turn < 3; turn += 1) await tell('each time')
  const [rows] = await db<[{ once: number; each: number }]>`
    select count(*) filter (where key = 'only once')::int as once, count(*) filter (where key = 'each time')::int as each
    from announcements`
  assert.deepEqual({ ...rows }, { once: 1, each: 3 })
})

test('what is over is forgotten, the rest is kept', async () => {
  await tell('kept')
  await tell('expired', { forSeconds: -1 })
  await forgetOldAnnouncements(db)
  const rows = await db<Array<{ key: string }>>`select key from announcements where key in ('kept', 'expired')`
  assert.deepEqual(
    rows.map(({ key }) => key),
    ['kept'],
  )
})

test('a look that fails is not the end, and nothing is missed over it', async () => {
  const heard: string[] = []
  let failures = 0
  const feed = await followAnnouncements(
    db,
    (announcements) => void heard.push(...announcements.map(({ key }) => key)),
    () => {
      failures += 1
    },
    askTime,
  )
  await db`alter table announcements rename to hidden`
  assert.ok(await soonHeard(db, async () => failures > 0))
  await db`insert into hidden (topic, key, expires_at) values ('test', 'meanwhile', now() + interval '1 minute')`
  await db`alter table hidden rename to announcements`
  assert.ok(await soonHeard(db, async () => heard.includes('meanwhile')))
  await feed.stop()
})
