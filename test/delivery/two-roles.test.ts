import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { startWorkerOf } from '../harness/sending-process.ts'
import { statesBecome } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'

const scene = await startSendingScene('web')
after(scene.stop)
const { db } = scene

const listeners = async () =>
  (
    await db`
    select 1 from pg_stat_activity where datname = current_database() and query ~* '^listen' and pid <> pg_backend_pid()`
  ).length

test('what one process takes in another one sends, within a second', async () => {
  const subscriber = await scene.subscriber()
  await scene.publish(1)
  assert.equal(subscriber.arrivals.length, 0, 'a process for the web sends nothing')
  const worker = await startWorkerOf(scene)
  try {
    await statesBecome(db, subscriber.webhookId, { delivered: 1 })
    assert.ok(await soon(async () => (await listeners()) === 1, PATIENCE_MS), 'it listens')
    for (let turn = 2; turn <= 6; turn += 1) {
      await scene.publish(1)
      assert.ok(await soonHeard(db, async () => subscriber.arrivals.length === turn), `event ${turn} is late`)
    }
    // A connection that is lost is no reason to stop listening.
    await db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${`handover ${worker.pid}`}`
    assert.ok(await soon(async () => (await listeners()) === 1, PATIENCE_MS), 'it listens again')
    await scene.publish(1)
    await statesBecome(db, subscriber.webhookId, { delivered: 7 })
  } finally {
    await worker.stop()
  }
})

test('where nobody can be told, as behind PgBouncer, workers look by themselves within a second', async () => {
  const subscriber = await scene.subscriber()
  const worker = await startWorkerOf(scene, 'worker', { HANDOVER_DATABASE_PREPARE: 'off' })
  try {
    for (let turn = 1; turn <= 5; turn += 1) {
      await scene.publish(1)
      assert.ok(await soonHeard(db, async () => subscriber.arrivals.length === turn), `event ${turn} is late`)
    }
    assert.equal(await listeners(), 0)
    await statesBecome(db, subscriber.webhookId, { delivered: 5 })
  } finally {
    await worker.stop()
  }
})

test('a worker that is asked to stop finishes what it began, or leaves it to others uncounted', async () => {
  const facilityId = await scene.facility()
  const open: ServerResponse[] = []
  const [quick, stuck] = await Promise.all([
    scene.subscriber({ facilities: [facilityId], reply: (response) => void open.push(response) }),
    scene.subscriber({ facilities: [facilityId], reply: () => {} }),
  ])
  const worker = await startWorkerOf(scene)
  await scene.publish([scene.event({ facilityId })])
  assert.ok(await soon(async () => quick.arrivals.length === 1 && stuck.arrivals.length === 1, PATIENCE_MS))
  const stopped = worker.stop()
  // Then it has two seconds' patience, of which as little as possible is spent here.
  await worker.process.says(/"msg":"stopping"/)
  for (const response of open) response.end()
  await stopped
  await statesBecome(db, quick.webhookId, { delivered: 1 })
  await statesBecome(db, stuck.webhookId, { pending: 1 })
  const [left] = await db`
    select attempts, tries, leased_until, due_at <= now() as due from deliveries where webhook_id = ${stuck.webhookId}`
  assert.deepEqual({ ...left }, { attempts: 0, tries: 0, leased_until: null, due: true })
  assert.equal(quick.arrivals.length, 1)
})
