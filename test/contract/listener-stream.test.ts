import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { allowScope } from '../../src/domain/consents/consent-store.ts'
import { countWaiting } from '../../src/domain/listeners/listener-store.ts'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import { answered, attemptsOf, deliveryIn, only, statesBecome } from '../harness/delivery-scene.ts'
import { report, startListenerScene } from '../harness/listener-scene.ts'
import { SANDBOX } from '../harness/token-scene.ts'

const scene = await startListenerScene()
after(scene.stop)
const { hookOf, place, put, stream } = scene

test('a delivery waits until the stream hands it out: the original bytes, signed now, and it is never sent by itself', async () => {
  const at = await place()
  const listener = await put(at)
  const [eventId] = await scene.happen('sandbox', at.facilityId, 1, { data: { ward: 'Zürich – 🏥', n: 1.0 } })
  const held = only(await statesBecome(at.api, hookOf(listener), ['held']))
  assert.equal(held.reason, 'listening')
  assert.equal(held.nextAttemptAt, null)

  const opened = await stream(at)
  assert.equal(opened.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(opened.headers.get('cache-control'), 'no-store')
  assert.equal(opened.headers.get('x-accel-buffering'), 'no')
  const handed = only(await opened.handedBecome(1))
  assert.deepEqual(
    opened.events.map(({ id, event }) => [id, event]),
    [
      [null, 'waiting'],
      [1, 'delivery'],
    ],
  )
  assert.equal(opened.events[0]?.data['count'], 1)
  assert.equal(handed.eventId, eventId)
  assert.equal(handed.handedOutBefore, false)
  assert.equal(handed.headers['content-type'], 'application/json')
  const stored = JSON.parse(answered(await at.api.get(`${hookOf(listener).path}/deliveries/${handed.deliveryId}`)))
  assert.equal(handed.body, stored.data.requestBody)
  new Webhook(only(listener.secrets)).verify(Buffer.from(handed.body), handed.headers)

  answered(
    await report(at, handed, {
      status: 204,
      url: 'http://localhost:3000/hooks',
      responseHead: 'server: mine',
      signedAt: Number(handed.headers['webhook-timestamp']),
    }),
  )
  const done = only(await statesBecome(at.api, hookOf(listener), ['delivered']))
  const attempt = only(await attemptsOf(at.api, hookOf(listener), done.id))
  assert.deepEqual(
    [attempt.status, attempt.url, attempt.durationMs, attempt.responseHead, attempt.manual],
    [204, 'http://localhost:3000/hooks', 12, 'server: mine', false],
  )
  const signedAt = new Date(Number(handed.headers['webhook-timestamp']) * 1_000)
  assert.equal(attempt.startedAt, signedAt.toISOString(), 'so that the request can be shown as it was')
  assert.equal((await put(at, 'laptop', {}, 200)).waiting, 0)
})

test('what happens while a stream is open comes at once; events about people come too', async () => {
  const at = await place()
  await put(at)
  const opened = await stream(at)
  const person = await scene.person()
  await allowScope(scene.db, { userId: person, applicationId: at.application.id, audience: SANDBOX }, ['openid'])
  await scene.happen('sandbox', at.facilityId)
  await opened.handedBecome(1)
  const body = { type: 'facility.creation.accepted', userId: person, data: {} }
  assert.equal((await at.api.post('/sandbox/events', body)).status, 202)
  assert.deepEqual(
    (await opened.handedBecome(2)).map(({ type }) => type),
    ['shift.created', 'facility.creation.accepted'],
  )
})

test('a failure is final: one attempt, and a resend by hand waits for the listener again', async () => {
  const at = await place()
  const listener = await put(at)
  const opened = await stream(at)
  await scene.happen('sandbox', at.facilityId)
  const first = only(await opened.handedBecome(1))
  const failure = { error: 'connect', message: 'Nobody listens at localhost:3000', status: undefined }
  answered(await report(at, first, failure))
  const failed = only(await statesBecome(at.api, hookOf(listener), ['failed']))
  assert.equal(failed.reason, 'attempts_used_up')
  assert.equal(only(await attemptsOf(at.api, hookOf(listener), failed.id)).error, 'connect')

  deliveryIn(await at.api.post(`${hookOf(listener).path}/deliveries/${failed.id}/resend`), 202)
  const [, second] = await opened.handedBecome(2)
  assert.ok(second)
  assert.deepEqual([second.deliveryId, second.attempt], [first.deliveryId, 2])
  const body = Buffer.from('thank you').toString('base64')
  answered(await report(at, second, { status: 200, responseBody: body }))
  const [newest] = await attemptsOf(at.api, hookOf(listener), failed.id)
  assert.equal(newest?.responseBody, 'thank you')
  assert.equal(newest.manual, true)
  await statesBecome(at.api, hookOf(listener), ['delivered'])
})

test('an answer counts once; another one to the same attempt is taken and changes nothing', async () => {
  const at = await place()
  const listener = await put(at)
  const opened = await stream(at)
  await scene.happen('sandbox', at.facilityId)
  const handed = only(await opened.handedBecome(1))
  const reports = await Promise.all(Array.from({ length: 8 }, () => report(at, handed, { status: 200 })))
  for (const each of reports) assert.equal(JSON.parse(answered(each)).data.state, 'delivered')
  assert.equal(JSON.parse(answered(await report(at, handed, { status: 500 }))).data.state, 'delivered')
  assert.equal((await attemptsOf(at.api, hookOf(listener), handed.deliveryId)).length, 1)
})

test('a time of signing that cannot be is not believed', async () => {
  const at = await place()
  const listener = await put(at)
  const opened = await stream(at)
  await scene.happen('sandbox', at.facilityId, 2)
  const [first, second] = await opened.handedBecome(2)
  assert.ok(first && second)
  answered(await report(at, first, { status: 200, signedAt: 1 }))
  answered(await report(at, second, { status: 200, signedAt: 99_999_999_999 }))
  for (const { deliveryId, createdAt } of [first, second]) {
    const { startedAt } = only(await attemptsOf(at.api, hookOf(listener), deliveryId))
    assert.ok(Math.abs(Date.parse(startedAt) - Date.parse(createdAt)) < 60_000)
  }
})

test('404 and 409 for answers to what is not there, not handed out, or over', async () => {
  const [at, another] = [await place(), await place()]
  const listener = await put(at)
  await put(another)
  await scene.happen('sandbox', at.facilityId)
  const [waiting] = await statesBecome(at.api, hookOf(listener), ['held'])
  assert.ok(waiting)
  const unasked = { deliveryId: waiting.id, attempt: 1 }
  assertProblem(await report(at, unasked), 409, 'not_waiting')
  assertProblem(await report(another, unasked), 404, 'not_found')
  assertProblem(await report(at, { deliveryId: 'dlv_00000000000070008000000000000000', attempt: 1 }), 404, 'not_found')
  assertProblem(await report(at, { deliveryId: 'something', attempt: 1 }), 404, 'not_found')
  const opened = await stream(at)
  await opened.handedBecome(1)
  assertProblem(await report(another, unasked), 404, 'not_found')
  assertProblem(await report(at, { ...unasked, attempt: 2 }), 409, 'not_waiting')
  assert.equal((await report(at, unasked)).status, 200)
})

test('422 for a report without a result, with two, or with what cannot be stored', async () => {
  const at = await place()
  await put(at)
  const handed = { deliveryId: 'dlv_00000000000070008000000000000000', attempt: 1 }
  assertFaults(await report(at, handed, {}), ' either_or')
  assertFaults(await report(at, handed, { status: 200, error: 'connect' }), ' either_or')
  const wrong = { status: 200, url: 'ftp://a:b@localhost/', responseBody: 'not base64' }
  assertFaults(await report(at, handed, wrong), '/url url_refused', '/responseBody malformed')
  assertFaults(await at.api.raw('PUT', '/sandbox/listeners/Not%20A%20Name', '{}'), '/path/name malformed')
  const body = { events: ['shift.created', 'shift.created'] }
  assertFaults(await at.api.raw('PUT', '/sandbox/listeners/laptop', JSON.stringify(body)), '/events/1 duplicate')
})

test('at most ten are out without an answer; each answer lets the next one through, the longest waiting first', async () => {
  const at = await place()
  await put(at)
  const events: string[] = []
  for (let shift = 0; shift < 13; shift += 1) events.push(...(await scene.happen('sandbox', at.facilityId)))
  const opened = await stream(at)
  const ten = await opened.handedBecome(10)
  assert.deepEqual(
    ten.map(({ eventId }) => eventId),
    events.slice(0, 10),
  )
  for (const each of ten.slice(0, 3)) answered(await report(at, each))
  const all = await opened.handedBecome(13)
  assert.equal(new Set(all.map(({ deliveryId }) => deliveryId)).size, 13)
})

test('what was handed out and not answered comes again on the next stream, which says so', async () => {
  const at = await place()
  await put(at)
  await scene.happen('sandbox', at.facilityId)
  const first = await stream(at)
  const handed = only(await first.handedBecome(1))
  first.close()
  const second = await stream(at)
  const again = only(await second.handedBecome(1))
  assert.deepEqual([again.deliveryId, again.attempt, again.handedOutBefore], [handed.deliveryId, 1, true])
  assert.deepEqual([second.events[0]?.data['count'], second.events[0]?.data['handedOut']], [1, 1])
  assert.equal(second.events[1]?.id, 2)
})

test('however many wait, those that were handed out are counted', async () => {
  const at = await place()
  await put(at)
  await scene.happen('sandbox', at.facilityId)
  const first = await stream(at)
  await first.handedBecome(1)
  first.close()
  await scene.happen('sandbox', at.facilityId, 3)
  const waiting = await countWaiting(scene.db, { applicationId: at.application.id, name: 'laptop' }, 2)
  assert.deepEqual(waiting, { count: 2, handedOut: 1 })
})

test('a second stream takes over; the first is told and ends, and other listeners go on', async () => {
  const at = await place()
  await put(at)
  await put(at, 'other-laptop')
  const [first, other] = [await stream(at), await stream(at, 'other-laptop')]
  const second = await stream(at)
  assert.equal(await first.ended(), 'replaced')
  await scene.happen('sandbox', at.facilityId)
  await second.handedBecome(1)
  await other.handedBecome(1)
  assert.equal(first.handed().length, 0)
})

test('what the application does not get any more is cancelled instead of handed out', async () => {
  const at = await place()
  const listener = await put(at)
  await scene.happen('sandbox', at.facilityId)
  await scene.db`delete from facility_connections where facility_id = ${at.facilityId}`
  const opened = await stream(at)
  const cancelled = only(await statesBecome(at.api, hookOf(listener), ['cancelled']))
  assert.equal(cancelled.reason, 'access_lost')
  assert.equal(opened.handed().length, 0)
})

test('a test event for its webhook comes by the stream', async () => {
  const at = await place()
  const listener = await put(at)
  const opened = await stream(at)
  assert.equal((await at.api.post(`${hookOf(listener).path}/test`)).status, 202)
  const handed = only(await opened.handedBecome(1))
  assert.equal(JSON.parse(handed.body).test, true)
})

test('a replay waits for the listener, too', async () => {
  const at = await place()
  const listener = await put(at)
  const opened = await stream(at)
  await scene.happen('sandbox', at.facilityId)
  const handed = only(await opened.handedBecome(1))
  answered(await report(at, handed))
  const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
  const replay = await at.api.post(`${hookOf(listener).path}/replay`, { ...range, states: ['delivered'] })
  assert.equal(replay.status, 202, replay.text)
  const [, again] = await opened.handedBecome(2)
  assert.deepEqual([again?.deliveryId, again?.attempt], [handed.deliveryId, 2])
})
