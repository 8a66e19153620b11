import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Api, assertFaults, assertProblem, type ShownWebhook, webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const person = await scene.person()
const persons = [await scene.facility('production', person), await scene.facility('production', person)].toSorted()
const applications = [
  await scene.facility('production', application),
  await scene.facility('production', application),
].toSorted()
const asPerson = await scene.personApi(application, person)
const asApplication = await scene.appApi(application)

const OTHER_URL = 'https://partner.example/other'

async function created(api: Api = asPerson): Promise<ShownWebhook> {
  const facilities = (api === asPerson ? persons : applications).slice(0, 1)
  const body = { url: HOOK_URL, events: ['shift.created'], facilities, secrets: ['first', 'second'] }
  return webhookIn(await api.post('/webhooks/facility', body), 201)
}

const change = async ({ id }: ShownWebhook, body: unknown, api: Api = asPerson) =>
  webhookIn(await api.patch(`/webhooks/facility/${id}`, body))

/** What may differ after a change that was not about it. */
const unchanged = (webhook: ShownWebhook, but: Partial<ShownWebhook>) => ({ ...webhook, ...but })

test('200 with every field: the webhook as it is now, in data, and the same when it is read', async () => {
  const webhook = await created()
  const body = { url: OTHER_URL, events: ['all'], facilities: persons.slice(1), secrets: ['third'] }
  const answer = await asPerson.patch(`/webhooks/facility/${webhook.id}`, body)
  const changed = webhookIn(answer)
  assert.deepEqual(Object.keys(answer.body), ['data'])
  assert.deepEqual(changed, unchanged(webhook, { ...body, updatedAt: changed.updatedAt }))
  assert.ok(changed.updatedAt > changed.createdAt)
  const read = await asPerson.get(`/webhooks/facility/${webhook.id}`)
  assert.deepEqual(webhookIn(read), changed)
  assert.equal(read.headers.get('etag'), answer.headers.get('etag'))
})

const parts: Array<[string, Partial<ShownWebhook>]> = [
  ['url', { url: OTHER_URL }],
  ['events', { events: ['shift.cancelled', 'shift.report.created'] }],
  ['facilities', { facilities: persons.toReversed() }],
  ['secrets', { secrets: ['new'] }],
]
for (const [name, part] of parts) {
  test(`200 with ${name} alone: the other fields stay`, async () => {
    const webhook = await created()
    const changed = await change(webhook, part)
    assert.deepEqual(changed, unchanged(webhook, { ...part, updatedAt: changed.updatedAt }))
    assert.deepEqual(webhookIn(await asPerson.get(`/webhooks/facility/${webhook.id}`)), changed)
  })
}

test('200 with no field at all: nothing changes, not even the version', async () => {
  const webhook = await created()
  const before = await asPerson.get(`/webhooks/facility/${webhook.id}`)
  assert.deepEqual(await change(webhook, {}), webhook)
  const now = await asPerson.get(`/webhooks/facility/${webhook.id}`)
  assert.equal(now.headers.get('etag'), before.headers.get('etag'))
})

for (const value of [null, []]) {
  const written = JSON.stringify(value)
  test(`200 with facilities ${written}: the person’s are detected again`, async () => {
    const changed = await change(await created(), { facilities: value })
    assert.deepEqual(changed.facilities?.toSorted(), persons)
  })

  test(`200 with facilities ${written} by the application itself: still those of the person, who owns it`, async () => {
    const changed = await change(await created(), { facilities: value }, asApplication)
    assert.deepEqual(changed.facilities?.toSorted(), persons)
  })

  test(`200 with facilities ${written} for the application’s own: those connected to it`, async () => {
    const changed = await change(await created(asApplication), { facilities: value }, asApplication)
    assert.deepEqual(changed.facilities?.toSorted(), applications)
  })

  test(`200 with secrets ${written}: a new one, and the first of the previous behind it`, async () => {
    const webhook = await created()
    const changed = await change(webhook, { secrets: value })
    const [generated = '', previous, ...others] = changed.secrets
    assert.match(generated, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual([previous, others], ['first', []])
    const again = await change(webhook, { secrets: value })
    assert.deepEqual(again.secrets.slice(1), [generated], 'and so on')
  })
}

test('422 for a facility that the application sees and the owner does not, whoever calls', async () => {
  const webhook = await created()
  for (const api of [asPerson, asApplication])
    assertFaults(
      await api.patch(`/webhooks/facility/${webhook.id}`, { facilities: [...persons, ...applications] }),
      '/facilities/2 unknown_facility',
      '/facilities/3 unknown_facility',
    )
  assert.deepEqual(webhookIn(await asPerson.get(`/webhooks/facility/${webhook.id}`)), webhook)
})

test('200 by the application for a person’s webhook: a facility that only the person sees', async () => {
  const changed = await change(await created(), { facilities: persons }, asApplication)
  assert.deepEqual(changed.facilities, persons)
})

test('404 for the application’s own webhook with a person’s token', async () => {
  const webhook = await created(asApplication)
  assertProblem(await asPerson.patch(`/webhooks/facility/${webhook.id}`, { url: OTHER_URL }), 404, 'not_found')
})

test('422 for url or events without a value: they have none that could be found', async () => {
  const webhook = await created()
  const cases: Array<[unknown, string]> = [
    [{ url: null }, '/url wrong_type'],
    [{ url: '' }, '/url too_short'],
    [{ events: null }, '/events wrong_type'],
    [{ events: [] }, '/events too_few'],
  ]
  for (const [body, fault] of cases) assertFaults(await asPerson.patch(`/webhooks/facility/${webhook.id}`, body), fault)
  assert.deepEqual(webhookIn(await asPerson.get(`/webhooks/facility/${webhook.id}`)), webhook)
})

test('422: one wrong field, and nothing of the others is changed', async () => {
  const webhook = await created()
  const body = { url: OTHER_URL, events: ['all'], facilities: ['fac_nobody'], secrets: [] }
  assertFaults(await asPerson.patch(`/webhooks/facility/${webhook.id}`, body), '/facilities/0 unknown_facility')
  assert.deepEqual(webhookIn(await asPerson.get(`/webhooks/facility/${webhook.id}`)), webhook)
})

test('422: everything that is wrong is said at once', async () => {
  const { id } = await created()
  assertFaults(
    await asPerson.patch(`/webhooks/facility/${id}`, {
      url: 'https://me@partner.example',
      events: ['x'],
      facilities: [1, 'fac_nobody'],
      secrets: ['a', 'a'],
      clientId: 'x',
    }),
    '/url url_refused',
    '/events/0 unknown_value',
    '/facilities/0 wrong_type',
    '/facilities/1 unknown_facility',
    '/secrets/1 duplicate',
    '/clientId unknown_field',
  )
})

test('422 when nothing can be detected any more', async () => {
  const somebody = await scene.person()
  const facility = await scene.facility('production', somebody)
  const api = await scene.personApi(application, somebody)
  const { id } = webhookIn(await api.post('/webhooks/facility', { url: HOOK_URL, events: ['all'] }), 201)
  await scene.db`delete from facility_access where facility_id = ${facility}`
  assertFaults(await api.patch(`/webhooks/facility/${id}`, { facilities: [] }), '/facilities no_facilities')
})

test('404 before 422: who may not see the webhook learns nothing of what it takes', async () => {
  assertProblem(await asPerson.patch('/webhooks/facility/whk_nobody', { url: 1 }), 404, 'not_found')
})

test('400 without a body', async () => {
  const { id } = await created()
  assertProblem(await asPerson.patch(`/webhooks/facility/${id}`), 400, 'malformed_json')
})
