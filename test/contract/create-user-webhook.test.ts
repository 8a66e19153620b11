import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene, USER_HOOK } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const person = await scene.person()
const callers = {
  'a person’s token': await scene.personApi(application, person),
  'a client_credentials token': await scene.appApi(application),
}

for (const [whose, api] of Object.entries(callers)) {
  test(`201 with ${whose}: the webhook in data, every field of the contract in it, and no facilities`, async () => {
    const given = {
      url: HOOK_URL,
      events: ['facility.creation.accepted', 'facility.user-connection.rejected'],
      secrets: ['one'],
    }
    const answer = await api.post('/webhooks/user', given)
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
    assert.equal(answer.headers.get('location'), `/api/v2/public/webhooks/user/${webhook.id}`)
    assert.deepEqual(webhookIn(await api.get(`/webhooks/user/${webhook.id}`)), webhook)
  })
}
const api = callers['a person’s token']

for (const [what, more] of [
  ['absent', {}],
  ['null', { secrets: null }],
  ['empty', { secrets: [] }],
] as const) {
  test(`201 with secrets ${what}: one is generated`, async () => {
    const { secrets } = webhookIn(await api.post('/webhooks/user', { url: HOOK_URL, events: ['all'], ...more }), 201)
    assert.equal(secrets.length, 1)
    assert.match(secrets[0] ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
  })
}

test('201 for a person without any facility: a user webhook needs none', async () => {
  webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
})

test('422 for facilities: a user webhook has none', async () => {
  assertFaults(await api.post('/webhooks/user', { ...USER_HOOK, facilities: [] }), '/facilities unknown_field')
})

test('422 without url and events', async () => {
  assertFaults(await api.post('/webhooks/user', {}), '/url required', '/events required')
})

test('422: everything that is wrong is said at once', async () => {
  assertFaults(
    await api.post('/webhooks/user', { url: 'x', events: [], secrets: ['a', 'b', 'c'], extra: 1 }),
    '/url url_refused',
    '/events too_few',
    '/secrets too_many',
    '/extra unknown_field',
  )
})

test('400 without a body', async () => {
  assertProblem(await api.post('/webhooks/user'), 400, 'malformed_json')
})

test('404: a user webhook is not a facility webhook, and the reverse', async () => {
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  assertProblem(await api.get(`/webhooks/facility/${id}`), 404, 'not_found')
  assertProblem(await api.patch(`/webhooks/facility/${id}`, {}), 404, 'not_found')
  assertProblem(await api.delete(`/webhooks/facility/${id}`), 404, 'not_found')
  assertProblem(await api.post(`/webhooks/facility/${id}/disable`), 404, 'not_found')
})
