import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WAITS } from '../../src/domain/deliveries/retry-schedule.ts'
import { answers, later, resets } from '../harness/receiver-farm.ts'
import {
  attemptsOf,
  deliveriesOf,
  hurry,
  landed,
  probeNow,
  scheduleOf,
  statesBecome,
  waitsOf,
} from '../harness/sending-rows.ts'
import { type Subscriber, startSendingScene } from '../harness/sending-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startSendingScene()
after(scene.stop)
const { db } = scene

const HOUR = 3_600
const came = (subscriber: Subscriber, count: number) =>
  soon(async () => subscriber.arrivals.length >= count, PATIENCE_MS)

/** A subscriber at a facility of its own, so that the tests of this file do not meet. */
async function alone(settings: Parameters<typeof scene.subscriber>[0] = {}) {
  const facilityId = await scene.facility()
  const subscriber = await scene.subscriber({ facilities: [facilityId], ...settings })
  const publish = (count: number) => scene.publish(Array.from({ length: count }, () => scene.event({ facilityId })))
  return { subscriber, publish, webhookId: subscriber.webhookId }
}

test('ten attempts, each as long after the last as the schedule says, and then it has failed', async () => {
  const { subscriber, publish, webhookId } = await alone({ reply: answers(500, {}, 'no') })
  const [id] = await publish(1)
  for (const [position, wait] of WAITS.entries()) {
    assert.ok(await came(subscriber, position + 1))
    await landed(db, webhookId)
    const [delivery] = await deliveriesOf(db, webhookId)
    assert.deepEqual([delivery?.state, delivery?.attempts], ['pending', position + 1])
    const due = delivery?.due_in ?? 0
    const [waits = 0] = await waitsOf(db, webhookId)
    assert.ok(waits >= wait && due <= wait * 1.2, `after attempt ${position + 1}: ${waits} s, and ${due} s from now`)
    await hurry(db, webhookId)
  }
  await statesBecome(db, webhookId, { 'failed attempts_used_up': 1 })
  await sleep(100)
  assert.equal(subscriber.arrivals.length, 10)
  assert.deepEqual([...new Set(subscriber.arrivals.map((each) => each.id))], [id])
  const attempts = await attemptsOf(db, webhookId)
  assert.deepEqual(
    attempts.map(({ number, status, error }) => [number, status, error]),
    Array.from({ length: 10 }, (_, number) => [number + 1, 500, null]),
  )
})

test('jitter spreads what failed together', async () => {
  const { subscriber, publish, webhookId } = await alone({ reply: answers(500), perSecond: 1_000, atOnce: 40 })
  await publish(40)
  assert.ok(await soon(async () => subscriber.arrivals.length >= 10, PATIENCE_MS))
  await landed(db, webhookId)
  const tried = (await deliveriesOf(db, webhookId)).filter(({ attempts }) => attempts === 1)
  const waits = tried.map(({ due_in }) => due_in ?? 0)
  const shortest = Math.min(...(await waitsOf(db, webhookId)))
  assert.ok(Math.max(...waits) <= 6 && shortest >= 5, `${shortest} to ${Math.max(...waits)}`)
  assert.ok(new Set(waits.map((wait) => wait.toFixed(2))).size > tried.length / 3)
})

describe('Retry-After', { concurrency: true }, () => {
  // Said when it is asked: what is in an hour now is not any more when the tests before this one are done.
  const inAnHour = () => new Date(Date.now() + HOUR * 1_000).toUTCString()
  for (const [status, header, pause, said = () => header] of [
    [503, '120', 120],
    [429, '120', 120],
    [503, 'the date in an hour', HOUR, inAnHour],
    [429, '999999999', 24 * HOUR],
    [503, '0', null],
    [503, '-5', null],
    [429, 'soon', null],
    [429, new Date(0).toUTCString(), null],
    [500, '120', null],
    [404, '120', null],
    [302, '120', null],
  ] as const)
    test(`${status} with "${header}" pauses the webhook for ${pause} s`, async () => {
      const { subscriber, publish, webhookId } = await alone({
        reply: (response, arrival) => answers(status, { 'retry-after': said() })(response, arrival),
      })
      await publish(1)
      assert.ok(await came(subscriber, 1))
      await landed(db, webhookId)
      const { paused_for: paused } = await scheduleOf(db, webhookId)
      const [delivery] = await deliveriesOf(db, webhookId)
      const due = delivery?.due_in ?? 0
      subscriber.reply = answers(204)
      await publish(1)
      if (pause === null) {
        assert.equal(paused, null)
        assert.ok(due > 0 && due <= 6, `${due}`)
        assert.ok(await came(subscriber, 2), 'nothing holds the next one back')
        return
      }
      assert.ok(paused !== null && paused > pause - 10 && paused <= pause + 1, `${paused}`)
      assert.ok(due > pause - 10 && due <= pause + 1, `${due}`)
      await sleep(700)
      assert.equal(subscriber.arrivals.length, 1, 'it is for the whole webhook')
      await hurry(db, webhookId)
      await statesBecome(db, webhookId, { delivered: 2 })
    })
})

test('a longer pause is not shortened by a shorter one', async () => {
  const { subscriber, publish, webhookId } = await alone()
  const pauses = ['600', '5']
  subscriber.reply = (response, arrival) => {
    const pause = pauses.shift() ?? ''
    later(pause === '5' ? 800 : 400, answers(503, { 'retry-after': pause }))(response, arrival)
  }
  await publish(2)
  assert.ok(await came(subscriber, 2))
  await landed(db, webhookId)
  await db`update deliveries set due_at = now() where webhook_id = ${webhookId}`
  await db`update webhook_schedules set due_at = now() where webhook_id = ${webhookId}`
  await sleep(700)
  assert.equal(subscriber.arrivals.length, 2)
  const { paused_for: paused, due_in: due } = await scheduleOf(db, webhookId)
  assert.ok(paused !== null && paused > 590 && due > 590)
})

test('redirects of every kind are failures, and nobody goes there', async () => {
  const canary = scene.farm.post()
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    const { subscriber, publish, webhookId } = await alone({ reply: answers(status, { location: canary.url }) })
    await publish(1)
    assert.ok(await came(subscriber, 1))
    await landed(db, webhookId)
    const [attempt] = await attemptsOf(db, webhookId)
    assert.equal(attempt?.status, status)
    assert.match(attempt?.response_head ?? '', new RegExp(`^location: ${canary.url}$`, 'm'))
    assert.equal((await deliveriesOf(db, webhookId))[0]?.state, 'pending')
  }
  assert.equal(canary.arrivals.length, 0)
})

test('410 disables the webhook, and what comes after waits', async () => {
  const { subscriber, publish, webhookId } = await alone({ reply: answers(410), atOnce: 1 })
  await publish(3)
  assert.ok(await came(subscriber, 1))
  await landed(db, webhookId)
  const api = await scene.api()
  const shown = await api.get(`/webhooks/facility/${webhookId}`)
  assert.match(shown.text, /"status":"disabled","disabledReason":"gone"/)
  await publish(1)
  await hurry(db, webhookId)
  await sleep(700)
  assert.equal(subscriber.arrivals.length, 1)
  await statesBecome(db, webhookId, { pending: 4 })
  subscriber.reply = answers(200)
  assert.equal((await api.post(`/webhooks/facility/${webhookId}/enable`)).status, 200)
  await statesBecome(db, webhookId, { delivered: 4 })
})

test('ten failures in a row open the circuit; one after the other is let through every 30 s, until one succeeds', async () => {
  const { subscriber, publish, webhookId } = await alone({ reply: answers(500), atOnce: 1 })
  const ids = await publish(14)
  assert.ok(await came(subscriber, 10))
  await landed(db, webhookId)
  await sleep(700)
  assert.equal(subscriber.arrivals.length, 10, 'nothing goes to one that is open')
  const opened = await scheduleOf(db, webhookId)
  assert.equal(opened.consecutive_failures, 10)
  assert.ok(opened.probe_in !== null && opened.probe_in > 20 && opened.probe_in <= 30, `${opened.probe_in}`)
  await publish(1)
  await sleep(300)
  assert.equal(subscriber.arrivals.length, 10, 'nor for something new')

  for (const probe of [1, 2, 3]) {
    await probeNow(db, webhookId)
    assert.ok(await came(subscriber, 10 + probe))
    await landed(db, webhookId)
    await sleep(300)
    assert.equal(subscriber.arrivals.length, 10 + probe, 'one')
    const { probe_in: again } = await scheduleOf(db, webhookId)
    assert.ok(again !== null && again > 20 && again <= 30, `${again}`)
  }
  const probed = subscriber.arrivals.slice(10).map(({ id }) => id)
  assert.equal(new Set(probed).size, 3, 'another one each time')

  subscriber.reply = answers(200)
  await hurry(db, webhookId)
  await statesBecome(db, webhookId, { delivered: 15 })
  assert.equal(new Set(subscriber.arrivals.map(({ id }) => id)).size, ids.length + 1)
  const closed = await scheduleOf(db, webhookId)
  assert.deepEqual(
    [closed.consecutive_failures, closed.probe_in, closed.failing_since, closed.failures],
    [0, null, null, 0],
  )
})

test('what is sent again by hand does not wait for a circuit, nor does it stand in for a probe', async () => {
  const { subscriber, publish, webhookId } = await alone({ reply: answers(200), atOnce: 2 })
  const api = await scene.api()
  await publish(3)
  await statesBecome(db, webhookId, { delivered: 3 })
  const finished = await deliveriesOf(db, webhookId)
  subscriber.reply = answers(500)
  await publish(12)
  const isOpen = async () => (await scheduleOf(db, webhookId)).consecutive_failures >= 10
  assert.ok(await soon(isOpen, PATIENCE_MS))
  await landed(db, webhookId)
  const before = await scheduleOf(db, webhookId)
  const sofar = subscriber.arrivals.length

  subscriber.reply = answers(200)
  for (const { id } of finished)
    assert.equal((await api.post(`/webhooks/facility/${webhookId}/deliveries/${id}/resend`)).status, 202)
  // Long before the probe, which is 30 s away.
  assert.ok(await soon(async () => subscriber.arrivals.length === sofar + 3, PATIENCE_MS), 'they go at once')
  await landed(db, webhookId)
  await sleep(300)
  assert.equal(subscriber.arrivals.length, sofar + 3, 'and nothing else with them')
  const afterwards = await scheduleOf(db, webhookId)
  assert.equal(afterwards.consecutive_failures, before.consecutive_failures, 'they do not count')
  assert.ok(Math.abs((afterwards.probe_in ?? 0) - (before.probe_in ?? 0)) < 10, 'the probe comes when it would have')

  await probeNow(db, webhookId)
  await hurry(db, webhookId)
  await statesBecome(db, webhookId, { delivered: 15 })
})

test('what a receiver said is kept: its status, the head, and the start of the body', async () => {
  const { subscriber, publish, webhookId } = await alone({
    reply: answers(500, { 'x-why': 'tired' }, 'x'.repeat(50_000)),
  })
  await publish(1)
  assert.ok(await came(subscriber, 1))
  const fails = subscriber.reply
  subscriber.reply = resets
  await hurry(db, webhookId)
  assert.ok(await came(subscriber, 2))
  await landed(db, webhookId)
  subscriber.reply = fails
  await hurry(db, webhookId)
  assert.ok(await came(subscriber, 3))
  await landed(db, webhookId)
  subscriber.reply = answers(200, {}, 'y'.repeat(50_000))
  await hurry(db, webhookId)
  await statesBecome(db, webhookId, { delivered: 1 })
  const attempts = await attemptsOf(db, webhookId)
  assert.deepEqual(
    attempts.map(({ status, error, response_body }) => [status, error, response_body?.length ?? null]),
    [
      [500, null, 1_024],
      [null, 'reset', null],
      [500, null, 16_384],
      [200, null, 1_024],
    ],
  )
  assert.match(attempts[0]?.response_head ?? '', /^x-why: tired$/m)
  assert.match(attempts[1]?.message ?? '', /^127\.0\.0\.1 closed the connection/)
  for (const { url } of attempts) assert.equal(url, subscriber.url)
})
