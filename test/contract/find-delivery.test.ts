import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../harness/api-client.ts'
import { audienceOf } from '../harness/api-scene.ts'
import { arrivalsBecome, deliveriesOf, only, startDeliveryScene } from '../harness/delivery-scene.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const application = await scene.integrator()
const facility = await scene.facility('sandbox', application)
const api = await scene.appApi(application, 'sandbox')

test('200: which webhook a delivery is of, of either kind', async () => {
  const person = await scene.person()
  const consent = { userId: person, audience: audienceOf('sandbox') }
  await scene.db`
    insert into consents (user_id, application_id, audience, scope)
    values (${consent.userId}, ${application.id}, ${consent.audience}, '{}')`
  const events = [
    { kind: 'facility' as const, event: { type: 'shift.created', facilityId: facility, data: {} } },
    { kind: 'user' as const, event: { type: 'facility.creation.accepted', userId: person, data: {} } },
  ]
  for (const { kind, event } of events) {
    const hook = await scene.hook(api, { kind })
    assert.equal((await api.post('/sandbox/events', event)).status, 202)
    await arrivalsBecome(hook, 1)
    const { id } = only(await deliveriesOf(api, hook))
    const found = await api.get(`/deliveries/${id}`)
    assert.equal(found.status, 200, found.text)
    assert.deepEqual(found.body['data'], { id, kind, webhookId: hook.id })
  }
})

test('404 for one that never was, of another application, of the other environment and of another person', async () => {
  const hook = await scene.hook(api)
  await scene.happen('sandbox', facility)
  await arrivalsBecome(hook, 1)
  const { id } = only(await deliveriesOf(api, hook))
  const stranger = await scene.appApi(await scene.integrator(), 'sandbox')
  const production = await scene.appApi(application, 'production')
  const person = await scene.personApi(application, await scene.person(), 'sandbox')
  for (const caller of [stranger, production, person])
    assertProblem(await caller.get(`/deliveries/${id}`), 404, 'not_found')
  for (const unknown of [`dlv_${'0'.repeat(32)}`, 'dlv_x', 'x'.repeat(200)])
    assertProblem(await api.get(`/deliveries/${unknown}`), 404, 'not_found')
})

test('200: what events can be made about, for an application and for a person; 403 in production', async () => {
  const own = await scene.integrator()
  const caller = await scene.appApi(own, 'sandbox')
  assert.deepEqual((await caller.get('/sandbox/subjects')).body, { data: { facilities: [], users: [] } })
  const [person, other] = [await scene.person(), await scene.person()]
  const connected = await scene.facility('sandbox', own)
  const accessible = await scene.facility('sandbox', person)
  await scene.facility('production', own, person)
  await scene.db`
    insert into consents (user_id, application_id, audience, scope)
    values (${person}, ${own.id}, ${audienceOf('sandbox')}, '{}'), (${other}, ${own.id}, ${audienceOf('production')}, '{}')`
  assert.deepEqual((await caller.get('/sandbox/subjects')).body, { data: { facilities: [connected], users: [person] } })
  const asPerson = await scene.personApi(own, person, 'sandbox')
  assert.deepEqual((await asPerson.get('/sandbox/subjects')).body, {
    data: { facilities: [accessible], users: [person] },
  })
  assertProblem(await (await scene.appApi(own, 'production')).get('/sandbox/subjects'), 403, 'sandbox_only')
})
