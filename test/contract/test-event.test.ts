import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FACILITY_EVENTS, USER_EVENTS } from '../../src/domain/webhooks/event-names.ts'
import type { Answer } from '../harness/answer.ts'
import { type Api, assertFaults, assertProblem } from '../harness/api-client.ts'
import {
  answered,
  arrivalsBecome,
  deliveriesOf,
  type Hook,
  only,
  startDeliveryScene,
} from '../harness/delivery-scene.ts'

type Sent = { eventId: string; deliveryId: string }

const scene = await startDeliveryScene()
after(scene.stop)
const application = await scene.integrator({ apiRatePerSecond: 500, apiRateBurst: 1_000 })
const facility = await scene.facility('production', application)
const api = await scene.appApi(application)

const send = (hook: Hook, body?: unknown, as: Api = api) => as.post(`${hook.path}/test`, body)
/** The body that arrived last, once so many have. */
const arrived = async (hook: Hook, count = 1): Promise<Record<string, unknown>> => {
  await arrivalsBecome(hook, count)
  return JSON.parse(hook.arrivals.at(-1)?.body.toString() ?? '')
}
const sentBy = (answer: Answer): Sent => {
  const { data }: { data: Sent } = JSON.parse(answered(answer, 202))
  return data
}

test('202 without a body: an event of the first type that the webhook has, at its first facility, with test: true', async () => {
  const hook = await scene.hook(api, { events: ['shift.report.rejected', 'shift.created'] })
  const { eventId, deliveryId } = sentBy(await send(hook))
  const body = await arrived(hook)
  const { timestamp, data } = body
  assert.deepEqual(body, {
    id: eventId,
    type: 'shift.report.rejected',
    timestamp,
    environment: 'production',
    apiVersion: 'v2',
    facilityId: facility,
    test: true,
    data,
  })
  assert.ok(data !== null && typeof data === 'object' && Object.keys(data).length > 0)
  assert.ok(Math.abs(Date.now() - Date.parse(String(timestamp))) < 60_000)
  assert.deepEqual(hook.arrivals[0]?.verifiedBy, hook.secrets)
  const delivery = only(await deliveriesOf(api, hook))
  assert.deepEqual([delivery.id, delivery.eventId], [deliveryId, eventId])
})

test('202 for every type of the kind, subscribed or not, and for all: the first of the kind', async () => {
  const facilityHook = await scene.hook(api, { events: ['shift.created'] })
  for (const [position, type] of FACILITY_EVENTS.entries()) {
    sentBy(await send(facilityHook, { type }))
    await arrivalsBecome(facilityHook, position + 1)
  }
  const types = facilityHook.arrivals.map(({ body }) => JSON.parse(body.toString()).type)
  assert.deepEqual(types, FACILITY_EVENTS)
  const all = await scene.hook(api, { kind: 'user', events: ['all'] })
  sentBy(await send(all))
  assert.equal((await arrived(all))['type'], USER_EVENTS[0])
})

test('202 with data that is passed on to the byte', async () => {
  const hook = await scene.hook(api)
  const data = '{ "n": 12345678901234567890.10,  "t": "\\u00fc<>&\u2028" }'
  sentBy(await api.raw('POST', `${hook.path}/test`, `{"data": ${data}, "type": "shift.cancelled"}`))
  await arrivalsBecome(hook, 1)
  assert.ok(only(hook.arrivals).body.toString().endsWith(`"data":${data}}`))
})

test('it reaches this webhook alone', async () => {
  const [hook, other] = [await scene.hook(api), await scene.hook(api)]
  sentBy(await send(hook))
  await arrivalsBecome(hook, 1)
  assert.deepEqual(await deliveriesOf(api, other), [])
})

test('202 of a user webhook: about its person; about somebody who allowed the application; about nobody', async () => {
  const person = await scene.person()
  const asPerson = await scene.personApi(application, person)
  const theirs = await scene.hook(asPerson, { kind: 'user' })
  sentBy(await send(theirs, {}, asPerson))
  assert.equal((await arrived(theirs))['userId'], person)
  sentBy(await send(theirs, { userId: person }))
  assertFaults(await send(theirs, { userId: scene.nurse.id }), '/userId unknown_person')

  const own = await scene.hook(api, { kind: 'user' })
  sentBy(await send(own))
  assert.equal((await arrived(own))['userId'], 'usr_test')
  assertFaults(await send(own, { userId: person }), '/userId unknown_person')
  await scene.db`
    insert into consents (user_id, application_id, audience, scope)
    values (${person}, ${application.id}, 'urn:handover:api:production', '{}')`
  sentBy(await send(own, { userId: person }))
  assert.equal((await arrived(own, 2))['userId'], person)
})

test('409 webhook_disabled, and nothing is stored', async () => {
  const hook = await scene.hook(api)
  await api.post(`${hook.path}/disable`)
  assertProblem(await send(hook), 409, 'webhook_disabled')
  assert.deepEqual(await deliveriesOf(api, hook), [])
})

test('422 for a facility that the owner may not see, and for whatever else is wrong', async () => {
  const hook = await scene.hook(api)
  const foreign = await scene.facility('production')
  assertFaults(await send(hook, { facilityId: foreign }), '/facilityId unknown_facility')
  assertFaults(
    await send(hook, { type: 'facility.creation.accepted', userId: 'x', data: [], facilityId: 'nowhere' }),
    '/type unknown_value',
    '/userId unknown_field',
    '/data wrong_type',
    '/facilityId unknown_facility',
  )
  assertFaults(await send(hook, 'x'), ' wrong_type')
  await arrivalsBecome(hook, 0)
})

test('404 for whoever may not see the webhook', async () => {
  const hook = await scene.hook(api)
  const stranger = await scene.appApi(await scene.integrator())
  assertProblem(await send(hook, {}, stranger), 404, 'not_found')
  assertProblem(await api.post('/webhooks/facility/whk_nobody/test'), 404, 'not_found')
})

test('202 once for one Idempotency-Key', async () => {
  const hook = await scene.hook(api)
  const key = { 'idempotency-key': 'test' }
  const first = await api.post(`${hook.path}/test`, {}, key)
  const second = await api.post(`${hook.path}/test`, {}, key)
  assert.deepEqual(sentBy(second), sentBy(first))
  await arrivalsBecome(hook, 1)
  assert.equal((await deliveriesOf(api, hook)).length, 1)
})

test('429 beyond 20 at once', async () => {
  // Slow to come back, so that a slow machine changes nothing.
  const busy = await scene.appApi(await scene.integrator({ apiRatePerSecond: 1 }))
  const answers = await Promise.all(Array.from({ length: 40 }, () => busy.post('/webhooks/user/whk_nobody/test')))
  assert.ok(answers.filter(({ status }) => status === 404).length >= 20)
  assert.ok(answers.some(({ status }) => status === 429))
})
