import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { webhookIn } from '../harness/api-client.ts'
import { type Arrival, answers } from '../harness/receiver-farm.ts'
import { hurry, landed } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startSendingScene()
after(scene.stop)
const { db } = scene

const A = `whsec_${Buffer.alloc(24, 'a').toString('base64')}`
const B = `whsec_${Buffer.alloc(24, 'b').toString('base64')}`

test('while a delivery is retried its secrets are rotated, and at each step the right holders verify', async () => {
  const subscriber = await scene.subscriber({ secrets: [A], reply: answers(500) })
  subscriber.secrets = [A, B]
  const api = await scene.api()
  const path = `/webhooks/facility/${subscriber.webhookId}`
  const [id] = await scene.publish(1)
  const { arrivals } = subscriber

  async function next(): Promise<Arrival> {
    const before = arrivals.length
    const asked = await databaseSeconds()
    await hurry(db, subscriber.webhookId)
    assert.ok(await soon(async () => arrivals.length > before, PATIENCE_MS))
    await landed(db, subscriber.webhookId)
    const arrival = arrivals.at(-1)
    assert.ok(arrival)
    const { timestamp } = arrival
    assert.ok(timestamp >= Math.floor(asked) && timestamp <= (await databaseSeconds()), 'a fresh timestamp')
    return arrival
  }
  assert.ok(await soon(async () => arrivals.length === 1, PATIENCE_MS))
  assert.deepEqual(arrivals[0]?.verifiedBy, [A])

  for (const [secrets, holders] of [
    [
      [A, B],
      [A, B],
    ],
    [[B], [B]],
    [
      [B, A],
      [A, B],
    ],
    [[A], [A]],
  ] as const) {
    assert.equal((await api.patch(path, { secrets })).status, 200)
    const arrival = await next()
    assert.deepEqual(arrival.verifiedBy, [...holders], `with [${secrets.join()}]`)
    assert.equal(String(arrival.headers['webhook-signature']).split(' ').length, secrets.length)
  }

  // "No value given" makes a new one, and keeps the first of those before beside it (decision C6).
  const { secrets: made } = webhookIn(await api.patch(path, { secrets: [] }))
  assert.equal(made[1], A)
  subscriber.secrets = [...made, B]
  assert.deepEqual((await next()).verifiedBy, made)

  assert.ok(arrivals.length >= 6)
  assert.deepEqual([...new Set(arrivals.map((each) => each.id))], [id])
  assert.equal(new Set(arrivals.map(({ bodyHash }) => bodyHash)).size, 1)
  assert.deepEqual(
    arrivals.map(({ attempt }) => attempt),
    arrivals.map((_, position) => position + 1),
  )
})

async function databaseSeconds(): Promise<number> {
  const [clock] = await db<[{ now: number }]>`select extract(epoch from clock_timestamp())::float8 as now`
  return clock.now
}

test('the URL is the current one at the next attempt too', async () => {
  const subscriber = await scene.subscriber({ reply: answers(500) })
  const other = scene.farm.post({ secrets: subscriber.secrets })
  await scene.publish(1)
  assert.ok(await soon(async () => subscriber.arrivals.length === 1, PATIENCE_MS))
  const api = await scene.api()
  assert.equal((await api.patch(`/webhooks/facility/${subscriber.webhookId}`, { url: other.url })).status, 200)
  await hurry(db, subscriber.webhookId)
  assert.ok(await soon(async () => other.arrivals.length === 1, PATIENCE_MS))
  assert.equal(subscriber.arrivals.length, 1)
  assert.equal(other.arrivals[0]?.bodyHash, subscriber.arrivals[0]?.bodyHash)
})
