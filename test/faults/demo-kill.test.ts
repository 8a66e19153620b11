import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { within } from '../../src/platform/within.ts'
import { readEnvFile } from '../harness/handover.ts'
import { untilForgotten } from '../harness/left-sessions.ts'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { killQuietly, processesAbout } from './embedded-postgres-scene.ts'

// The whole service on its own database, every commit synced to disk, killed 21 times without a warning: at random moments of
// its first start, of later ones, of seeding, and while somebody writes.

const folder = await mkdtemp(join(tmpdir(), 'handover-kill-'))
await chmod(folder, 0o755)
const data = join(folder, 'data')
after(async () => {
  for (const { pid } of await processesAbout(folder)) killQuietly(pid)
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

const start = () =>
  runHandover(['demo'], { HANDOVER_DATA_DIR: data, PORT: '0', METRICS_PORT: '0', RECEIVER_PORT: '0' }, folder)

async function ready(service: HandoverProcess): Promise<string> {
  const [, url = ''] = await within(60_000, 'The start', service.says(/Handover is ready at (\S+)/))
  // Until then there is more to be seeded.
  await within(60_000, 'The first webhook', service.says(/Your first webhook: /))
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  return url
}

let killed = 0
async function kill(service: HandoverProcess): Promise<void> {
  killed = service.child.pid ?? 0
  service.child.kill('SIGKILL')
  await service.ended
}

/** What a newcomer wrote down and what opens the database: from the first moment on, always the same. */
let kept: { values: Record<string, string>; key: string } | undefined
async function assertSameValues(): Promise<void> {
  const all = await readEnvFile(join(data, 'demo.env'))
  // The addresses follow the port, which is another one with every start here.
  const values = Object.fromEntries(Object.entries(all).filter(([, value]) => !value.startsWith('http')))
  const key = await readFile(join(data, 'master.key'), 'utf8')
  kept ??= { values, key }
  assert.deepEqual({ values, key }, kept)
  for (const file of ['demo.env', 'master.key']) assert.equal((await stat(join(data, file))).mode & 0o777, 0o600, file)
}

async function beside<Value>(work: (db: Db) => Promise<Value>): Promise<Value> {
  const connection = await findRunningEmbeddedPostgres(data)
  assert.ok(connection !== null, 'the database runs')
  const db = openDatabase({ connection }, { prepare: true, poolSize: 3 })
  try {
    return await work(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}

async function seeded(): Promise<Record<string, number>> {
  const [counts] = await beside(
    (db) => db<[Record<string, number>]>`
      select (select count(*) from users)::int as users, (select count(*) from facilities)::int as facilities,
             (select count(*) from applications)::int as applications`,
  )
  assert.ok(Object.values(counts).every((count) => count > 0))
  return { ...counts }
}

async function databasePid(): Promise<number> {
  return Number.parseInt(await readFile(join(data, 'postgres/cluster/postmaster.pid'), 'utf8'), 10)
}

test('7 times during the first start and later ones: the next becomes ready', async () => {
  for (let turn = 0; turn < 7; turn++) {
    const service = start()
    // Loading takes some 300 ms, making the database 700, starting it 200.
    await sleep(turn < 5 ? 250 + Math.random() * 1_200 : 250 + Math.random() * 500)
    await kill(service)
  }
  const service = start()
  await ready(service)
  await assertSameValues()
  await kill(service)
})

test('5 times while it seeds: everything is there in the end, once', async () => {
  const first = await seeded()
  for (let turn = 0; turn < 5; turn++) {
    await beside(async (db) => {
      // What the one before still had under way locks these tables in another order.
      await untilForgotten(db, killed)
      await db`truncate users, facilities, applications cascade`
    })
    const service = start()
    const seeding = beside(async (db) => {
      while (service.child.exitCode === null) {
        const [row] = await db<[{ active: boolean }]>`
          select count(*) > 0 as active from pg_stat_activity
          where application_name = ${`handover ${service.child.pid}`}`
        if (row.active) return
        await sleep(5)
      }
    })
    await within(60_000, 'Seeding', seeding)
    await sleep(Math.random() * 200)
    await kill(service)
  }
  const service = start()
  await ready(service)
  await assertSameValues()
  assert.deepEqual(await seeded(), first, 'what the first start seeded')
  await kill(service)
})

test('7 times while somebody writes, every second time together with the database: nothing acknowledged is lost', async () => {
  const acknowledged: number[] = []
  let next = 1
  for (let turn = 0; turn < 7; turn++) {
    const service = start()
    await ready(service)
    await assertSameValues()
    await beside(async (db) => {
      await db`create table if not exists written (id int primary key)`
      const ending = new AbortController()
      const writers = [1, 2, 3].map(async () => {
        while (!ending.signal.aborted) {
          const id = next++
          await db`insert into written values (${id})`.then(
            () => acknowledged.push(id),
            () => ending.abort(),
          )
        }
      })
      // However slow the disk is, there is something to lose.
      const already = acknowledged.length
      await soon(async () => acknowledged.length >= already + 10, PATIENCE_MS)
      await sleep(Math.random() * 150)
      const database = await databasePid()
      service.child.kill('SIGKILL')
      if (turn % 2 === 1) killQuietly(database)
      await service.ended
      await sleep(20)
      ending.abort()
      await within(PATIENCE_MS, 'The writers', Promise.all(writers))
    })
  }
  const service = start()
  await ready(service)
  const rows = await beside((db) => db<Array<{ id: number }>>`select id from written`)
  const stored = new Set(rows.map(({ id }) => id))
  assert.ok(acknowledged.length > 50, `${acknowledged.length} acknowledged`)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
  await assertSameValues()
  service.child.kill('SIGTERM')
  assert.equal(await within(40_000, 'Stopping', service.ended), 0, service.err())
})

test('after a normal stop nothing is left but the data', async () => {
  assert.deepEqual((await readdir(data)).toSorted(), ['demo.env', 'master.key', 'postgres'])
  assert.deepEqual(await processesAbout(folder), [])
})

test('killed without a warning, it can be taken away, and what its database left running ends', async () => {
  const service = start()
  await ready(service)
  await kill(service)
  const reset = runHandover(['demo', '--reset'], { HANDOVER_DATA_DIR: data }, folder)
  assert.equal(await within(40_000, 'The reset', reset.ended), 0, reset.err())
  await assert.rejects(readdir(data), 'the folder is gone')
  assert.deepEqual(await processesAbout(folder), [])
})
