import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, HOOK_URL, startApiScene } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const person = await scene.person()
const both = await scene.facility('production', person, application)
const persons = [both, await scene.facility('production', person)].toSorted()
const applications = [both, await scene.facility('production', application)].toSorted()
const asPerson = await scene.personApi(application, person)
const asApplication = await scene.appApi(application)

test('201 with url, events, facilities and secrets: the webhook in data, every field of the contract in it', async () => {
  const [facility = ''] = persons
  const given = {
    url: HOOK_URL,
    events: ['shift.created', 'shift.cancelled'],
    facilities: [facility],
    secrets: ['one', 'two'],
  }
  const answer = await asPerson.post('/webhooks/facility', given)
  const webhook = webhookIn(answer, 201)
  assert.deepEqual(Object.keys(answer.body), ['data'])
  assert.deepEqual(webhook, {
    ...given,
    id: webhook.id,
    clientId: application.id,
    status: 'enabled',
    disabledReason: null,
    createdAt: webhook.createdAt,
    updatedAt: webhook.createdAt,
  })
  assert.match(webhook.id, /^whk_[0-9a-f]{32}$/)
  assert.match(webhook.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('201 with Location, which leads to the webhook, an ETag, and never stored by anybody', async () => {
  const answer = await asPerson.post('/webhooks/facility', FACILITY_HOOK)
  const webhook = webhookIn(answer, 201)
  assert.equal(answer.headers.get('location'), `/api/v2/public/webhooks/facility/${webhook.id}`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  const read = await asPerson.get(`/webhooks/facility/${webhook.id}`)
  assert.deepEqual(webhookIn(read), webhook)
  assert.equal(read.headers.get('etag'), answer.headers.get('etag'))
})

for (const [what, more] of [
  ['absent', {}],
  ['null', { facilities: null }],
  ['empty', { facilities: [] }],
] as const) {
  test(`201 with facilities ${what}: those the person has access to are detected`, async () => {
    const answer = await asPerson.post('/webhooks/facility', { url: HOOK_URL, events: ['all'], ...more })
    assert.deepEqual(webhookIn(answer, 201).facilities?.toSorted(), persons)
  })

  test(`201 with facilities ${what} and a client_credentials token: those connected to the application`, async () => {
    const answer = await asApplication.post('/webhooks/facility', { url: HOOK_URL, events: ['all'], ...more })
    assert.deepEqual(webhookIn(answer, 201).facilities?.toSorted(), applications)
  })
}

for (const [what, more] of [
  ['absent', {}],
  ['null', { secrets: null }],
  ['empty', { secrets: [] }],
] as const) {
  test(`201 with secrets ${what}: one is generated, of 32 random bytes`, async () => {
    const answer = await asPerson.post('/webhooks/facility', { url: HOOK_URL, events: ['all'], ...more })
    const { secrets } = webhookIn(answer, 201)
    assert.equal(secrets.length, 1)
    const [, encoded = ''] = /^whsec_(.+)$/.exec(secrets[0] ?? '') ?? []
    assert.equal(Buffer.from(encoded, 'base64').length, 32)
    assert.equal(Buffer.from(encoded, 'base64').toString('base64'), encoded)
  })
}

test('201: what is detected is a snapshot; a facility that comes later is not in it', async () => {
  const somebody = await scene.person()
  const first = await scene.facility('production', somebody)
  const api = await scene.personApi(application, somebody)
  const { id } = webhookIn(await api.post('/webhooks/facility', FACILITY_HOOK), 201)
  await scene.facility('production', somebody)
  assert.deepEqual(webhookIn(await api.get(`/webhooks/facility/${id}`)).facilities, [first])
})

test('201: facilities and events stay in the order they were given', async () => {
  const facilities = persons.toReversed()
  const events = ['shift.report.created', 'all', 'shift.created']
  const answer = await asPerson.post('/webhooks/facility', { url: HOOK_URL, events, facilities })
  const { id } = webhookIn(answer, 201)
  const read = webhookIn(await asPerson.get(`/webhooks/facility/${id}`))
  assert.deepEqual([read.events, read.facilities], [events, facilities])
})

test('201: two webhooks may have the same url, events and facilities', async () => {
  const [first, second] = [
    webhookIn(await asPerson.post('/webhooks/facility', FACILITY_HOOK), 201),
    webhookIn(await asPerson.post('/webhooks/facility', FACILITY_HOOK), 201),
  ]
  assert.notEqual(first.id, second.id)
  assert.notDeepEqual(first.secrets, second.secrets)
})

test('422 without url and events: both are named, each with its place', async () => {
  assertFaults(await asPerson.post('/webhooks/facility', {}), '/url required', '/events required')
})

test('422: everything that is wrong is said at once, from every rule', async () => {
  const answer = await asPerson.post('/webhooks/facility', {
    url: 'http://partner.example',
    events: ['shift.created', 'facility.creation.accepted'],
    facilities: ['fac_nobody', 5],
    secrets: ['whsec_short', ''],
    secret: 'x',
  })
  assertFaults(
    answer,
    '/url url_refused',
    '/events/1 unknown_value',
    '/facilities/0 unknown_facility',
    '/facilities/1 wrong_type',
    '/secrets/0 malformed_secret',
    '/secrets/1 too_short',
    '/secret unknown_field',
  )
  assert.match(String(answer.body['detail']), /And 6 more, see errors\.$/)
})

test('422 for a field that the service sets itself', async () => {
  for (const name of ['id', 'clientId', 'status', 'disabledReason', 'createdAt', 'updatedAt', 'URL'])
    assertFaults(await asPerson.post('/webhooks/facility', { ...FACILITY_HOOK, [name]: 'x' }), `/${name} unknown_field`)
})

test('422 for a wrong type of each field', async () => {
  const cases: Array<[string, unknown]> = [
    ['url', 1],
    ['url', null],
    ['url', [HOOK_URL]],
    ['events', 'all'],
    ['events', null],
    ['events', { 0: 'all' }],
    ['facilities', 'fac_1'],
    ['facilities', {}],
    ['facilities', false],
    ['secrets', 'secret'],
    ['secrets', 0],
  ]
  for (const [name, value] of cases)
    assertFaults(await asPerson.post('/webhooks/facility', { ...FACILITY_HOOK, [name]: value }), `/${name} wrong_type`)
})

test('400 without a body', async () => {
  assertProblem(await asPerson.post('/webhooks/facility'), 400, 'malformed_json')
})

test('422 for a body that is no object', async () => {
  for (const body of [[], 'x', 1, null, true])
    assertFaults(await asPerson.post('/webhooks/facility', body), ' wrong_type')
})
