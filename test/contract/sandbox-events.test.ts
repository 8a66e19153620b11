import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../harness/answer.ts'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import { audienceOf } from '../harness/api-scene.ts'
import { answered, arrivalsBecome, deliveriesOf, only, startDeliveryScene } from '../harness/delivery-scene.ts'

type Made = { id: string; deliveries: number }

const scene = await startDeliveryScene()
after(scene.stop)
const application = await scene.integrator({ apiRatePerSecond: 500, apiRateBurst: 1_000 })
const facility = await scene.facility('sandbox', application)
const api = await scene.appApi(application, 'sandbox')
const madeBy = (answer: Answer): Made => {
  const { data }: { data: Made } = JSON.parse(answered(answer, 202))
  return data
}
const shift = { type: 'shift.created', facilityId: facility, data: { shiftId: '4711' } }

test('202: the event reaches the webhooks of the application that would get it, with test: true', async () => {
  const hooks = [await scene.hook(api), await scene.hook(api), await scene.hook(api, { events: ['shift.cancelled'] })]
  const occurredAt = '2026-11-15T09:00:00.000+01:00'
  const made = madeBy(await api.post('/sandbox/events', { ...shift, occurredAt }))
  assert.equal(made.deliveries, 2)
  for (const hook of hooks.slice(0, 2)) {
    await arrivalsBecome(hook, 1)
    assert.deepEqual(JSON.parse(only(hook.arrivals).body.toString()), {
      id: made.id,
      type: 'shift.created',
      timestamp: '2026-11-15T08:00:00.000Z',
      environment: 'sandbox',
      apiVersion: 'v2',
      facilityId: facility,
      test: true,
      data: { shiftId: '4711' },
    })
  }
  assert.deepEqual(await deliveriesOf(api, hooks[2] ?? only([])), [])
})

test('202 and nobody else hears of it: another application at the same facility, the same one in production', async () => {
  const other = await scene.integrator()
  const shared = await scene.facility('sandbox', application, other)
  const asOther = await scene.appApi(other, 'sandbox')
  const theirs = await scene.hook(asOther)
  const ours = await scene.hook(api, { facilities: [shared] })
  const made = madeBy(await api.post('/sandbox/events', { ...shift, facilityId: shared }))
  assert.equal(made.deliveries, 1)
  await arrivalsBecome(ours, 1)
  assert.deepEqual(await deliveriesOf(asOther, theirs), [])
})

test('202 with data that is passed on to the byte', async () => {
  const place = await scene.facility('sandbox', application)
  const hook = await scene.hook(api, { facilities: [place] })
  const data = '{"n":1e400,  "t":"\\u00fc"}'
  const text = `{"type":"shift.created","facilityId":"${place}","data":${data}}`
  assert.equal((await api.raw('POST', '/sandbox/events', text)).status, 202)
  await arrivalsBecome(hook, 1)
  assert.ok(only(hook.arrivals).body.toString().endsWith(`"data":${data}}`))
})

test('202 about a person: by themselves, and by an application that they allowed', async () => {
  const [person, stranger] = [await scene.person(), await scene.person()]
  const event = { type: 'facility.creation.rejected', userId: person, data: {} }
  assertFaults(await api.post('/sandbox/events', event), '/userId unknown_person')
  await scene.db`
    insert into consents (user_id, application_id, audience, scope)
    values (${person}, ${application.id}, ${audienceOf('sandbox')}, '{}')`
  const asPerson = await scene.personApi(application, person, 'sandbox')
  const theirs = await scene.hook(asPerson, { kind: 'user' })
  const ours = await scene.hook(api, { kind: 'user', events: ['facility.creation.rejected'] })
  assert.equal(madeBy(await api.post('/sandbox/events', event)).deliveries, 2)
  assert.equal(madeBy(await asPerson.post('/sandbox/events', event)).deliveries, 2)
  for (const hook of [theirs, ours]) await arrivalsBecome(hook, 2)
  for (const caller of [api, asPerson])
    assertFaults(await caller.post('/sandbox/events', { ...event, userId: stranger }), '/userId unknown_person')
})

test('403 sandbox_only with a production token, whatever the body', async () => {
  const production = await scene.appApi(application)
  await scene.facility('production', application)
  for (const body of [shift, {}]) assertProblem(await production.post('/sandbox/events', body), 403, 'sandbox_only')
})

test('422 for a facility that the caller may not see: unknown, of others, of production', async () => {
  const person = await scene.person()
  const asPerson = await scene.personApi(application, person, 'sandbox')
  const production = await scene.facility('production', application)
  for (const [caller, facilityId] of [
    [api, 'nowhere'],
    [api, await scene.facility('sandbox', person)],
    [api, production],
    [asPerson, facility],
  ] as const)
    assertFaults(await caller.post('/sandbox/events', { ...shift, facilityId }), '/facilityId unknown_facility')
})

test('422 for fields that are wrong, all of them at once', async () => {
  assertFaults(await api.post('/sandbox/events', {}), '/type required', '/data required')
  assertFaults(
    await api.post('/sandbox/events', { ...shift, id: 'x', environment: 'sandbox', userId: 'x', occurredAt: 'now' }),
    '/id unknown_field',
    '/environment unknown_field',
    '/userId unknown_field',
    '/occurredAt malformed',
  )
  assertFaults(await api.post('/sandbox/events', [shift]), ' wrong_type')
  const { facilityId: _, ...nowhere } = shift
  assertFaults(await api.post('/sandbox/events', nowhere), '/facilityId required')
  assertProblem(await api.post('/sandbox/events'), 400, 'malformed_json')
})

test('202 once for one Idempotency-Key', async () => {
  const place = await scene.facility('sandbox', application)
  const hook = await scene.hook(api, { facilities: [place] })
  const key = { 'idempotency-key': 'once' }
  const first = await api.post('/sandbox/events', { ...shift, facilityId: place }, key)
  const second = await api.post('/sandbox/events', { ...shift, facilityId: place }, key)
  assert.deepEqual(madeBy(second), madeBy(first))
  await arrivalsBecome(hook, 1)
})

test('429 beyond 20 at once, test events of webhooks included', async () => {
  // Slow to come back, so that a slow machine changes nothing.
  const busy = await scene.appApi(await scene.integrator({ apiRatePerSecond: 1 }), 'sandbox')
  const paths = Array.from({ length: 40 }, (_, turn) => (turn % 2 ? '/sandbox/events' : '/webhooks/user/whk_x/test'))
  const answers = await Promise.all(paths.map((path) => busy.post(path, {})))
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0 && answers.length - refused.length >= 20)
  for (const answer of refused) assertProblem(answer, 429, 'too_many_requests')
})
