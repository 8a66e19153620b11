import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, later } from '../harness/receiver-farm.ts'
import { startWorkerOf } from '../harness/sending-process.ts'
import { type Lease, leasesIn, runOut, statesBecome } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { soakSize } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { startTestPostgres } from '../harness/test-postgres.ts'

/** Sizes that a soak raises. */
const CRASHES = soakSize(3, 10)
const BATCHES = soakSize(12, 100)
const BATCH = 20

// A server of its own: all other files share theirs. What it acknowledged must survive it, as an operator's does.
const server = await startTestPostgres()
const scene = await startSendingScene('web')
const workers = await Promise.all([startWorkerOf(scene), startWorkerOf(scene)])
after(async () => {
  for (const worker of workers) await worker.kill()
  await scene.stop()
  await server.stop()
})
const { db } = scene

/** A connection that was lost shows it at its next statement. */
async function surely<Rows>(ask: () => Promise<Rows>): Promise<Rows> {
  const answered: Rows[] = []
  const hasAnswer = () =>
    ask().then(
      (rows) => answered.push(rows) > 0,
      () => false,
    )
  assert.ok(await soon(hasAnswer, PATIENCE_MS), 'the server is back')
  const [rows] = answered
  assert.ok(rows)
  return rows
}

/**
 * The postmaster ends everybody when one of its processes dies, recovers from its log, and begins anew. It may take its time to
 * notice, and until then other connections still answer: it has crashed when there is another checkpointer.
 */
async function crash(): Promise<void> {
  const look = () =>
    surely(
      () => db<Array<{ backend: number; checkpointer: number }>>`
        select pg_backend_pid() as backend, pid as checkpointer from pg_stat_activity where backend_type = 'checkpointer'`,
    )
  const [before] = await look()
  assert.ok(before)
  process.kill(before.backend, 'SIGKILL')
  const isAnother = async () => {
    const [now] = await look()
    return now !== undefined && now.checkpointer !== before.checkpointer
  }
  assert.ok(await soon(isAnother, PATIENCE_MS), 'it has crashed')
}

/** What a back end does with an answer that never came: the same again, which is the same events (decision D1). */
async function publishSurely(facilityId: string): Promise<string[]> {
  const events = Array.from({ length: BATCH }, () => scene.event({ id: randomUUID(), facilityId }))
  const accepted = async () => {
    const answer = await scene.platform.post('/events', events).catch(() => null)
    if (answer?.status !== 202) assert.ok(answer === null || answer.status >= 500, answer?.text)
    return answer?.status === 202
  }
  assert.ok(await soon(accepted, PATIENCE_MS), 'it is taken in')
  return events.map(({ id }) => String(id))
}

test('PostgreSQL crashes again and again while events come in and go out: nothing that was accepted is lost', async () => {
  const facilityId = await scene.facility()
  const all = await Promise.all(
    Array.from({ length: 3 }, () =>
      scene.subscriber({ facilities: [facilityId], perSecond: 5_000, atOnce: 30, reply: later(20, answers(204)) }),
    ),
  )
  const inFlight = new Map<string, Lease>()
  const publishing = (async () => {
    const ids: string[] = []
    for (let batch = 0; batch < BATCHES; batch += 1) ids.push(...(await publishSurely(facilityId)))
    return ids
  })()
  for (let turn = 0; turn < CRASHES; turn += 1) {
    await sleep(300)
    await crash()
    // Read when it has recovered: what it still knows to be on its way may come twice, nothing else.
    const held = await surely(() => leasesIn(db))
    for (const lease of held) inFlight.set(`${lease.webhook_id} ${lease.event_id}`, lease)
  }
  const ids = await publishing
  await sleep(500)
  await runOut(db, [...inFlight.values()])
  for (const { webhookId } of all) await statesBecome(db, webhookId, { delivered: ids.length }, 3 * PATIENCE_MS)
  for (const { webhookId, arrivals } of all) {
    const arrived = new Set(arrivals.map(({ id }) => id))
    assert.deepEqual(
      ids.filter((id) => !arrived.has(id)),
      [],
    )
    for (const { id, attempt, verifiedBy } of arrivals) {
      assert.equal(verifiedBy.length, 1)
      if (attempt > 1) assert.ok(inFlight.has(`${webhookId} ${id}`), `${id} was not in flight`)
    }
  }
})
