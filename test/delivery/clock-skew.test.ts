import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers, later } from '../harness/receiver-farm.ts'
import { startWorkerOf } from '../harness/sending-process.ts'
import { deliveriesOf, landed, ring, scheduleOf, statesBecome } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startSendingScene('web')
after(scene.stop)
const { db } = scene

const preload = new URL('../harness/shifted-clock.ts', import.meta.url).href
const MINUTES = 60_000

for (const shift of [10 * MINUTES, -10 * MINUTES])
  test(`a worker whose clock is ${shift / MINUTES} minutes off goes by the database's`, async () => {
    const facilityId = await scene.facility()
    const publish = (count: number) => scene.publish(Array.from({ length: count }, () => scene.event({ facilityId })))
    const [steady, failing] = await Promise.all([
      scene.subscriber({ facilities: [facilityId], reply: later(100, answers(204)) }),
      scene.subscriber({ facilities: [facilityId], reply: answers(500), atOnce: 1 }),
    ])
    const worker = await startWorkerOf(scene, 'worker', {
      NODE_OPTIONS: `--import ${preload}`,
      CLOCK_SHIFT_MS: String(shift),
    })
    try {
      assert.match(worker.process.err(), shiftedTime(shift), 'its clock is off')
      const began = Math.floor(Date.now() / 1_000)
      await publish(1)
      assert.ok(await soon(async () => steady.arrivals.length === 1 && failing.arrivals.length === 1, PATIENCE_MS))
      const [lease] = await db<Array<{ seconds: number }>>`
        select extract(epoch from leased_until - now())::float8 as seconds from deliveries
        where webhook_id = ${steady.webhookId}`
      if (lease !== undefined) assert.ok(lease.seconds > 0 && lease.seconds <= 20, `${lease.seconds}`)
      await statesBecome(db, steady.webhookId, { delivered: 1 })

      // Not early, and not stuck.
      await landed(db, failing.webhookId)
      const [delivery] = await deliveriesOf(db, failing.webhookId)
      assert.ok(delivery?.due_in && delivery.due_in > 0 && delivery.due_in <= 6, `${delivery?.due_in}`)
      failing.reply = (response, arrival) => answers(503, { 'retry-after': inThirtySeconds() })(response, arrival)
      const due = performance.now() + 1_000
      await db`update deliveries set due_at = now() + interval '1 second' where webhook_id = ${failing.webhookId}`
      await db`
        update webhook_schedules set due_at = now() + interval '1 second' where webhook_id = ${failing.webhookId}`
      await ring(db)
      assert.ok(await soon(async () => failing.arrivals.length === 2, PATIENCE_MS), 'stuck for as long as it is off')
      const early = due - (failing.arrivals[1]?.at ?? 0)
      assert.ok(early < 50, `${early} ms early`)

      // A date in Retry-After is no later or earlier for them than for us.
      await landed(db, failing.webhookId)
      const { paused_for: paused } = await scheduleOf(db, failing.webhookId)
      assert.ok(paused !== null && paused > 20 && paused <= 31, `${paused}`)

      await publish(20)
      await statesBecome(db, steady.webhookId, { delivered: 21 })
      for (const { timestamp, at, verifiedBy } of [...steady.arrivals, ...failing.arrivals]) {
        // Signed between its publishing and its arrival, however long it was on its way.
        const arrived = (performance.timeOrigin + at) / 1_000
        assert.ok(timestamp >= began && timestamp <= arrived + 1, `${timestamp}, from ${began} to ${arrived}`)
        assert.equal(verifiedBy.length, 1)
      }
    } finally {
      await worker.stop()
    }
  })

function inThirtySeconds(): string {
  return new Date(Date.now() + 30_000).toUTCString()
}

/** Its first lines, as they are dated. */
function shiftedTime(shift: number): RegExp {
  const hours = [-60_000, 0, 60_000].map((around) => new Date(Date.now() + shift + around).toISOString().slice(0, 15))
  return new RegExp(`"time":"(?:${hours.join('|')})`)
}
