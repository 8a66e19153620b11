import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  assertNothingLeft,
  killQuietly,
  launchIn,
  openFilledScene,
  openScene,
  optionsIn,
  query,
  ready,
  refused,
  startOwner,
} from './embedded-postgres-scene.ts'

const lockHolder = `select pid from pg_locks where locktype = 'advisory' and granted`

describe('the embedded PostgreSQL, killed', { concurrency: 2 }, () => {
  test('kill -9 of the owner leaves the server running, and the next start takes that very server over', async (t) => {
    const scene = await openFilledScene(t)
    const owner = startOwner(optionsIn(scene))
    const told = await ready(owner)
    await query(told, 'create table kept (n int); insert into kept values (7)')
    const before = await postmasterPid(scene)
    await owner.kill()
    const server = await launchIn(scene)
    assert.equal(await postmasterPid(scene), before)
    assert.deepEqual([...(await query(server, 'select n from kept'))], [{ n: 7 }])
    await server.stop()
    await assertNothingLeft(scene)
  })

  test('kill -9 of the owner, and a server so busy that it notices only seconds later: the next start waits for it', async (t) => {
    const scene = await openFilledScene(t)
    const owner = startOwner(optionsIn(scene))
    const [holder] = await query<{ pid: number }>(await ready(owner), lockHolder)
    assert.ok(holder)
    process.kill(holder.pid, 'SIGSTOP')
    await owner.kill()
    const noticing = setTimeout(() => process.kill(holder.pid, 'SIGCONT'), 4_000)
    t.after(() => {
      clearTimeout(noticing)
      killQuietly(holder.pid)
    })
    const server = await launchIn(scene)
    await server.stop()
    await assertNothingLeft(scene)
  })

  test('kill -9 at ten moments of the first start never spoils the folder', async (t) => {
    const scene = await openScene(t)
    const spoil = async (turn: number) => {
      const more = { dataFolder: join(scene, `data-${turn}`) }
      const owner = startOwner(optionsIn(scene, more))
      // The first turns hit what comes before initdb, the others are spread over its some 400 ms and a little beyond.
      if (turn > 1) await appearance(join(more.dataFolder, 'postgres'))
      await sleep(turn * 40 + Math.random() * 40)
      await owner.kill()
      const server = await launchIn(scene, more)
      assert.deepEqual([...(await query(server, 'select 1 as one'))], [{ one: 1 }], `turn ${turn}`)
      await server.stop()
      // An initdb that outlived its starter may still be writing.
      await rm(more.dataFolder, { recursive: true, maxRetries: 10 })
    }
    for (let turn = 0; turn < 10; turn += 2) await Promise.all([spoil(turn), spoil(turn + 1)])
  })

  test('kill -9 of a backend makes the server drop every connection, and the owner takes its lock again', async (t) => {
    const scene = await openFilledScene(t)
    const server = await launchIn(scene)
    const [before] = await query<{ pid: number }>(server, lockHolder)
    killQuietly(before?.pid ?? 0)
    const regained = async () =>
      (await query<{ pid: number }>(server, lockHolder).catch(() => []))[0]?.pid ?? before?.pid
    while ((await regained()) === before?.pid) await sleep(50)
    assert.match(await refused(startOwner(optionsIn(scene))), /is already running on/)
    await server.stop()
    await assertNothingLeft(scene)
  })

  test('attempts whose makers are gone are removed, those of a live process stay', async (t) => {
    const scene = await openFilledScene(t)
    const place = join(scene, 'data/postgres')
    const dead = `cluster.new-${2 ** 22 + 1}-1-0badcafe`
    const live = `cluster.new-${process.pid}-${await startTimeOfThisProcess()}-0badcafe`
    for (const name of [dead, live]) await writeFile(join(place, name), '')
    await (await launchIn(scene)).stop()
    await assert.rejects(readFile(join(place, dead)), { code: 'ENOENT' })
    await rm(join(place, live))
  })

  test('an old postmaster.pid whose number belongs to another process by now, or that is empty, does not stop a start', async (t) => {
    const scene = await openFilledScene(t)
    const file = join(scene, 'data/postgres/cluster/postmaster.pid')
    const cluster = join(scene, 'data/postgres/cluster')
    // A live process of the server's account, so that PostgreSQL by itself would take it for a server and refuse.
    const { uid, gid } = await stat(cluster)
    const reused = spawn('sleep', ['60'], { uid, gid })
    t.after(() => reused.kill())
    await writeFile(file, `${reused.pid}\n${cluster}\n1\n5432\n/tmp/handover-pg-gone\n\n  1  1\nready   \n`)
    const second = await launchIn(scene)
    assert.deepEqual([...(await query(second, 'select 1 as one'))], [{ one: 1 }])
    await second.stop()

    await writeFile(file, '')
    await utimes(file, 1, 1)
    await (await launchIn(scene)).stop()
  })

  test('kill -9 of the owner 20 times during writes, with the server in every second turn: nothing acknowledged is lost', async (t) => {
    const scene = await openFilledScene(t)
    const acknowledged: number[] = []
    const options = optionsIn(scene, { settings: { shared_buffers: '16MB', fsync: 'on' } })
    for (let turn = 0; turn < 20; turn++) {
      const owner = startOwner(options, { work: 'insert' })
      await ready(owner)
      assert.equal((await owner.next())?.kind, 'acknowledged')
      await sleep(20 + Math.random() * 80)
      if (turn % 2 === 1) killQuietly(await postmasterPid(scene))
      await owner.kill()
      acknowledged.push(...owner.told.filter(({ kind }) => kind === 'acknowledged').map(({ id }) => Number(id)))
    }
    const server = await launchIn(scene, options)
    const rows = await query<{ id: string }>(server, 'select id from acknowledged')
    const stored = new Set(rows.map(({ id }) => Number(id)))
    assert.ok(acknowledged.length >= 20)
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
    await server.stop()
    await assertNothingLeft(scene)
  })
})

async function appearance(folder: string): Promise<void> {
  while ((await readdir(folder).catch(() => [])).length === 0) await sleep(5)
}

async function postmasterPid(scene: string): Promise<number> {
  return Number.parseInt(await readFile(join(scene, 'data/postgres/cluster/postmaster.pid'), 'utf8'), 10)
}

async function startTimeOfThisProcess(): Promise<string> {
  const line = await readFile(`/proc/${process.pid}/stat`, 'utf8')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
