import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '../harness/receiver-farm.ts'
import { deliveriesOf, hurry, statesBecome } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startSendingScene()
after(scene.stop)

const WHSEC = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
const PLAIN = 'a plain sécret, 密'

/** Sent as it stands, because a serialiser would lose what it is about. */
const publish = (id: string, data: string) =>
  scene.platform.raw(
    'POST',
    '/events',
    `{ "id":"${id}", "data" : ${data} ,"environment":"sandbox","type":"shift.created",
      "facilityId":"${scene.facilityId}","occurredAt":"2026-11-15T08:00:00+01:00"}`,
  )

test('a request is Standard Webhooks, with one signature for each secret in their order', async () => {
  const { arrivals, webhookId } = await scene.subscriber({ secrets: [WHSEC, PLAIN] })
  await scene.platform.post('/events', scene.event({ id: 'evt-headers' }))
  await statesBecome(scene.db, webhookId, { delivered: 1 })
  const [arrival] = arrivals
  assert.ok(arrival)
  const { headers } = arrival
  assert.deepEqual(arrival.verifiedBy, [WHSEC, PLAIN])
  assert.equal(headers['webhook-id'], 'evt-headers')
  assert.match(String(headers['webhook-timestamp']), /^\d{10}$/)
  assert.ok(Math.abs(arrival.timestamp - Date.now() / 1_000) < 10)
  const signatures = String(headers['webhook-signature']).split(' ')
  assert.equal(signatures.length, 2)
  for (const signature of signatures) assert.match(signature, /^v1,[A-Za-z0-9+/]{43}=$/)
  assert.equal(headers['content-type'], 'application/json')
  assert.equal(headers['accept-encoding'], 'identity')
  assert.match(String(headers['user-agent']), /^Handover-Webhooks\/\d/)
  assert.equal(headers['content-length'], String(arrival.body.length))
  assert.deepEqual(Object.keys(headers).toSorted(), [
    'accept-encoding',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
  ])
  // Each signature is its own secret's, and the first is the first's.
  const second = await scene.subscriber({ secrets: [PLAIN] })
  const third = await scene.subscriber({ secrets: [WHSEC] })
  const everybody = [WHSEC, PLAIN, 'another secret']
  for (const post of [second, third]) post.secrets = everybody
  await scene.publish(1)
  await statesBecome(scene.db, second.webhookId, { delivered: 1 })
  await statesBecome(scene.db, third.webhookId, { delivered: 1 })
  assert.deepEqual(second.arrivals[0]?.verifiedBy, [PLAIN])
  assert.deepEqual(third.arrivals[0]?.verifiedBy, [WHSEC])
})

test('the body has the fields of decision D3 in their order', async () => {
  const { arrivals, webhookId } = await scene.subscriber()
  assert.equal((await publish('evt-body', '{"a":1}')).status, 202)
  await statesBecome(scene.db, webhookId, { delivered: 1 })
  assert.equal(
    arrivals[0]?.body.toString(),
    `{"id":"evt-body","type":"shift.created","timestamp":"2026-11-15T07:00:00.000Z","environment":"sandbox",` +
      `"apiVersion":"v2","facilityId":"${scene.facilityId}","data":{"a":1}}`,
  )
})

const AS_THEY_CAME = [
  ['letters of all kinds', '{"name":"Zoë Ångström 看護師 👩‍⚕️ \u{10ffff}"}'],
  ['what HTML would escape', '{"note":"<b>&amp;</b> \'\\"\\/"}'],
  ['line separators', '{"text":"a\u2028b\u2029c\u0085d\u00a0e\ufefff"}'],
  ['numbers beyond doubles', '{"id":12345678901234567890123,"rate":1.10,"tiny":-0.0e-999,"big":1E400}'],
  ['keys in their order, spaces and all', '{ "z" : 1 ,\n\t"a":2,  "10":3,"9":4, "__proto__": {} }'],
  ['escapes as they were written', '{"\\u0061":"\\ud83d\\ude00 \\u001f \\/"}'],
  ['nothing', '{}'],
  ['members called data', '{"data":{"data":[{"data":"}"},"]"]}}'],
] as const

test('data is passed on to the byte, and is the same at every attempt, worker and resend', async () => {
  const subscriber = await scene.subscriber({ reply: answers(503) })
  const { db } = scene
  const sent = new Map<string, string>()
  for (const [position, [what, data]] of AS_THEY_CAME.entries()) {
    const answer = await publish(`evt-bytes-${position}`, data)
    assert.equal(answer.status, 202, `${what}: ${answer.text}`)
    sent.set(`evt-bytes-${position}`, data)
  }
  const all = sent.size
  // What waits for long is tried again by itself, so it is not said how often each came.
  const seen = async () => new Set(subscriber.arrivals.map(({ id }) => id)).size === all
  assert.ok(await soon(seen, PATIENCE_MS))
  subscriber.reply = answers(200)
  // Another worker, which has never seen them.
  scene.loop()
  await hurry(db, subscriber.webhookId)
  await statesBecome(db, subscriber.webhookId, { delivered: all })
  const attempts = subscriber.arrivals.length
  assert.ok(attempts >= 2 * all, 'each failed, and came again')
  const api = await scene.api()
  for (const { id } of await deliveriesOf(db, subscriber.webhookId)) {
    const resent = await api.post(`/webhooks/facility/${subscriber.webhookId}/deliveries/${id}/resend`)
    assert.equal(resent.status, 202, resent.text)
  }
  assert.ok(await soon(async () => subscriber.arrivals.length === attempts + all, PATIENCE_MS))
  for (const { id, body, verifiedBy } of subscriber.arrivals) {
    assert.deepEqual(verifiedBy, subscriber.secrets)
    const text = body.toString()
    assert.ok(Buffer.from(text).equals(body), 'valid UTF-8')
    assert.equal(text.slice(text.indexOf(',"data":') + 8, -1), sent.get(id))
  }
  const hashes = new Set(subscriber.arrivals.map(({ id, bodyHash }) => `${id} ${bodyHash}`))
  assert.equal(hashes.size, all)
})

test('a body as large as is allowed is signed and sent whole', async () => {
  const { arrivals, webhookId } = await scene.subscriber()
  const data = JSON.stringify({ text: 'é'.repeat(65_000) })
  assert.equal((await publish('evt-large', data)).status, 202)
  await statesBecome(scene.db, webhookId, { delivered: 1 })
  assert.equal(arrivals[0]?.verifiedBy.length, 1)
  assert.ok(arrivals[0]?.body.toString().endsWith(`"data":${data}}`))
})

test('a secret that was changed signs the next attempt, and its order is the order of the list', async () => {
  const subscriber = await scene.subscriber({ secrets: ['one'], reply: answers(500) })
  subscriber.secrets = ['one', 'two']
  await scene.publish(1)
  assert.ok(await soon(async () => subscriber.arrivals.length === 1, PATIENCE_MS))
  const api = await scene.api()
  const patched = await api.patch(`/webhooks/facility/${subscriber.webhookId}`, { secrets: ['two', 'one'] })
  assert.equal(patched.status, 200, patched.text)
  await hurry(scene.db, subscriber.webhookId)
  assert.ok(await soon(async () => subscriber.arrivals.length === 2, PATIENCE_MS))
  assert.deepEqual(
    subscriber.arrivals.map(({ verifiedBy }) => verifiedBy),
    [['one'], ['one', 'two']],
  )
})
