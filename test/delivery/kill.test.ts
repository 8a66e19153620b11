import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, later, type Post } from '../harness/receiver-farm.ts'
import { type SendingProcess, startWorkerOf } from '../harness/sending-process.ts'
import { attemptsOf, type Lease, leasesIn, ring, runOut, statesBecome } from '../harness/sending-rows.ts'
import { type Subscriber, startSendingScene } from '../harness/sending-scene.ts'
import { soakSize } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

/** Sizes that a soak raises. */
const WORKERS = 3
const EVENTS = soakSize(300, 10_000)
const WEBHOOKS = 3
const KILLS = soakSize(4, 30)
const KILL_EVERY_MS = soakSize(800, 2_000)

const scene = await startSendingScene('web')
const workers = new Set<SendingProcess>()
after(async () => {
  for (const worker of workers) await worker.kill()
  await scene.stop()
})
const { db } = scene

async function startWorker(): Promise<SendingProcess> {
  const worker = await startWorkerOf(scene)
  workers.add(worker)
  return worker
}

async function kill(worker: SendingProcess): Promise<void> {
  workers.delete(worker)
  await worker.kill()
}

const leases = () => leasesIn(db)

const repeated = ({ arrivals }: Post) => new Set(arrivals.filter(({ attempt }) => attempt > 1).map(({ id }) => id))

const subscribers = (facilityId: string, count: number, delayMs: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      scene.subscriber({
        facilities: [facilityId],
        perSecond: 5_000,
        atOnce: 30,
        reply: later(delayMs, answers(204)),
      }),
    ),
  )

async function assertAllArrived(all: readonly Subscriber[], ids: readonly string[]): Promise<void> {
  for (const { arrivals } of all) {
    const arrived = new Set(arrivals.map(({ id }) => id))
    assert.deepEqual(
      ids.filter((id) => !arrived.has(id)),
      [],
      'lost',
    )
    for (const { verifiedBy } of arrivals) assert.equal(verifiedBy.length, 1)
  }
}

test('workers that are killed at random lose nothing and repeat only what was in flight', async () => {
  const facilityId = await scene.facility()
  const all = await subscribers(facilityId, WEBHOOKS, 60)
  const alive = await Promise.all(Array.from({ length: WORKERS }, startWorker))
  const inFlight = new Map<string, Lease>()

  const publishing = (async () => {
    const ids: string[] = []
    const step = Math.ceil(EVENTS / (KILLS + 1) / 4)
    while (ids.length < EVENTS) {
      const count = Math.min(step, EVENTS - ids.length)
      ids.push(...(await scene.publish(Array.from({ length: count }, () => scene.event({ facilityId })))))
      await sleep(KILL_EVERY_MS / 4)
    }
    return ids
  })()
  const replacing: Array<Promise<SendingProcess>> = []
  for (let turn = 0; turn < KILLS; turn += 1) {
    await sleep(KILL_EVERY_MS)
    if (alive.length === 0) alive.push(...(await Promise.all(replacing.splice(0))))
    const [victim] = alive.splice(Math.floor(Math.random() * alive.length), 1)
    assert.ok(victim)
    await kill(victim)
    for (const lease of await leases()) inFlight.set(`${lease.webhook_id} ${lease.event_id}`, lease)
    replacing.push(startWorker())
  }
  const ids = await publishing
  await Promise.all(replacing)
  await sleep(500)
  await runOut(db, [...inFlight.values()])
  for (const { webhookId } of all) await statesBecome(db, webhookId, { delivered: EVENTS }, PATIENCE_MS + 60 * EVENTS)
  await assertAllArrived(all, ids)
  for (const post of all)
    for (const id of repeated(post)) assert.ok(inFlight.has(`${post.webhookId} ${id}`), `${id} was not in flight`)
  for (const worker of workers) await kill(worker)
})

test('a worker that was frozen beyond its lease counts for nothing when it thaws', async () => {
  const facilityId = await scene.facility()
  const [subscriber] = await subscribers(facilityId, 1, 300)
  assert.ok(subscriber)
  const { webhookId, arrivals } = subscriber
  const frozen = await startWorker()
  const ids = await scene.publish(Array.from({ length: 20 }, () => scene.event({ facilityId })))
  assert.ok(await soon(async () => arrivals.length === 20, PATIENCE_MS))
  frozen.freeze()
  // Their answers are on their way to somebody who does not hear them.
  await sleep(500)
  const held = await leases()
  assert.ok(held.length > 0)
  const other = await startWorker()
  await runOut(db, held)
  await statesBecome(db, webhookId, { delivered: 20 })
  frozen.thaw()
  const refused = async () => frozen.process.err().includes('"counted":false')
  assert.ok(await soon(refused, PATIENCE_MS), 'it has nothing to say')
  const counted = await attemptsOf(db, webhookId)
  assert.equal(counted.length, 20, 'each attempt that counts, once')
  await assertAllArrived([subscriber], ids)
  const wasInFlight = new Set(held.map(({ event_id }) => event_id))
  for (const id of repeated(subscriber)) assert.ok(wasInFlight.has(id))
  // It is of use again.
  await kill(other)
  await scene.publish([scene.event({ facilityId })])
  await statesBecome(db, webhookId, { delivered: 21 })
  await kill(frozen)
})

test('connections to the database that are cut again and again lose nothing', async () => {
  const facilityId = await scene.facility()
  const all = await subscribers(facilityId, 2, 20)
  const pair = await Promise.all([startWorker(), startWorker()])
  const names = pair.map(({ pid }) => `handover ${pid}`)
  const inFlight = new Map<string, Lease>()
  const ids: string[] = []
  for (let turn = 0; turn < 8; turn += 1) {
    ids.push(...(await scene.publish(Array.from({ length: 15 }, () => scene.event({ facilityId })))))
    await sleep(Math.random() * 120)
    await db`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = any(${names})`
    for (const lease of await leases()) inFlight.set(`${lease.webhook_id} ${lease.event_id}`, lease)
  }
  // What was claimed by a commit whose answer got lost is nobody's until its lease ends.
  const done = async () => (await leases()).length === 0
  if (!(await soon(done, 4_000))) {
    const left = await leases()
    // A worker that only was slow loses them as well, and then they come twice.
    for (const lease of left) inFlight.set(`${lease.webhook_id} ${lease.event_id}`, lease)
    await runOut(db, left)
  }
  for (const { webhookId } of all) await statesBecome(db, webhookId, { delivered: ids.length })
  await assertAllArrived(all, ids)
  for (const post of all)
    for (const id of repeated(post)) assert.ok(inFlight.has(`${post.webhookId} ${id}`), `${id} was not in flight`)
  for (const worker of pair) await kill(worker)
})

test('a worker that is frozen in the midst of claiming holds nobody up for longer than its transaction may be silent', async () => {
  const facilityId = await scene.facility()
  const [subscriber] = await subscribers(facilityId, 1, 0)
  assert.ok(subscriber)
  const { webhookId, arrivals } = subscriber
  const worker = await startWorker()
  await db`update webhooks set disabled_because = 'by_request' where id = ${webhookId}`
  await scene.publish([scene.event({ facilityId })])
  await db.begin(async (tx) => {
    await tx`select 1 from deliveries where webhook_id = ${webhookId} for update`
    await db`update webhooks set disabled_because = null where id = ${webhookId}`
    await db`update webhook_schedules set due_at = now() where webhook_id = ${webhookId}`
    await ring(db)
    const waits = async () => (await sessions(worker, tx`wait_event_type = 'Lock'`)) > 0
    assert.ok(await soon(waits, PATIENCE_MS), 'it claims')
    worker.freeze()
  })
  const isSilent = async () => (await sessions(worker, db`state = 'idle in transaction'`)) === 1
  assert.ok(await soon(isSilent, PATIENCE_MS), 'it holds what it has locked')
  const began = performance.now()
  await scene.publish([scene.event({ facilityId })])
  const tookMs = performance.now() - began
  assert.ok(tookMs < 6_000, `an intake waited ${tookMs} ms`)
  scene.loop()
  await statesBecome(db, webhookId, { delivered: 2 })
  assert.equal(arrivals.length, 2, 'it had not begun to send')
  worker.thaw()
  await kill(worker)
})

async function sessions({ pid }: SendingProcess, isSo: ReturnType<typeof db>): Promise<number> {
  const rows = await db`
    select 1 from pg_stat_activity where application_name = ${`handover ${pid}`} and datname = current_database() and ${isSo}`
  return rows.length
}
