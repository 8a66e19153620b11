import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPostgresServer } from '../../soak/databases/postgres-server.ts'
import { ourMigrations } from '../../src/app/storage.ts'
import { announce, followAnnouncements } from '../../src/platform/announcements.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createDatabaseClock } from '../../src/platform/database-clock.ts'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'

// A server that crashes forgets the numbers of transactions that it had not written down, and gives them out again. To a
// snapshot from before, what happens under such a number is long past.

test('what is announced under a number that the server had given out before it crashed is heard', async (t) => {
  const server = await createPostgresServer({
    folder: await mkdtemp(join(tmpdir(), 'handover-announcements-')),
    // So that the numbers of what was rolled back are not on disk when it crashes.
    settings: { wal_writer_delay: '10s', fsync: 'off', autovacuum: 'off' },
  })
  t.after(server.remove)
  const db = openDatabase({ url: server.url }, { prepare: true, poolSize: 3 })
  t.after(() => db.end({ timeout: 0 }))
  await migrate(db, await ourMigrations())

  const heard: string[] = []
  const feed = await followAnnouncements(
    db,
    (announcements) => void heard.push(...announcements.map(({ key }) => key)),
    () => {},
    createDatabaseClock(systemClock).ask,
  )
  t.after(feed.stop)
  /** Answers whether the number of what is announced after the crash had been given out before it. */
  const announcedAgain = async (how: string, key: string): Promise<boolean> => {
    const [before] = await db<[{ xact: string }]>`select pg_current_xact_id()::text as xact`
    for (let turn = 0; turn < 20; turn += 1) {
      const rolledBack = db.begin(async (tx) => {
        await tx`select pg_current_xact_id()`
        throw new Error('rolled back')
      })
      await assert.rejects(rolledBack, /rolled back/)
    }
    const life = await lifeOf(db)
    // Two looks, so that its snapshot has seen them end.
    await sleep(700)
    if (how === 'all of them are') {
      await server.end('SIGKILL')
      await server.start()
    } else {
      const [{ pid }] = await db<[{ pid: number }]>`select pg_backend_pid() as pid`
      process.kill(pid, 'SIGKILL')
    }
    // The others are sent away a moment later.
    assert.ok(await soon(async () => (await lifeOf(db).catch(() => life)) !== life, PATIENCE_MS), 'it is back')
    await announce(db, { topic: 'test', key, forSeconds: 60 })
    const [row] = await db<[{ again: boolean }]>`
      select xact::text::int8 < ${before.xact}::int8 + 20 as again from announcements where key = ${key}`
    assert.ok(await soonHeard(db, async () => heard.includes(key)), key)
    return row.again
  }
  for (const how of ['one of its processes is killed', 'all of them are']) {
    // What the server writes every ten seconds may come in between, and the numbers are on disk all the same.
    let again = false
    for (let turn = 0; turn < 5 && !again; turn += 1) again = await announcedAgain(how, `${how}, ${turn}`)
    assert.ok(again, 'the number had been given out before')
  }
})

async function lifeOf(db: Db): Promise<string> {
  const [row] = await db<[{ life: string }]>`
    select pg_postmaster_start_time()::text || stats_reset::text as life from pg_stat_wal`
  return row.life
}
