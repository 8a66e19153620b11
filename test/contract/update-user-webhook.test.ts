import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, type ShownWebhook, webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const api = await scene.personApi(application, await scene.person())
const asApplication = await scene.appApi(application)

const created = async () =>
  webhookIn(
    await api.post('/webhooks/user', {
      url: HOOK_URL,
      events: ['facility.creation.accepted'],
      secrets: ['first', 'second'],
    }),
    201,
  )

const parts: Array<[string, Partial<ShownWebhook>]> = [
  ['url', { url: 'https://partner.example/other' }],
  ['events', { events: ['facility.user-connection.accepted', 'all'] }],
  ['secrets', { secrets: ['new', 'newer'] }],
  ['every field', { url: 'https://partner.example/all', events: ['all'], secrets: ['new'] }],
]
for (const [name, part] of parts) {
  test(`200 with ${name}: what is sent changes, the rest stays`, async () => {
    const webhook = await created()
    const changed = webhookIn(await api.patch(`/webhooks/user/${webhook.id}`, part))
    assert.deepEqual(changed, { ...webhook, ...part, updatedAt: changed.updatedAt })
    assert.deepEqual(webhookIn(await api.get(`/webhooks/user/${webhook.id}`)), changed)
  })
}

test('200 with a client_credentials token of the same application', async () => {
  const { id } = await created()
  assert.deepEqual(webhookIn(await asApplication.patch(`/webhooks/user/${id}`, { events: ['all'] })).events, ['all'])
})

for (const value of [null, []]) {
  test(`200 with secrets ${JSON.stringify(value)}: a new one, and the first of the previous behind it`, async () => {
    const { id } = await created()
    const { secrets } = webhookIn(await api.patch(`/webhooks/user/${id}`, { secrets: value }))
    assert.match(secrets[0] ?? '', /^whsec_/)
    assert.deepEqual(secrets.slice(1), ['first'])
  })
}

test('422 for facilities, which a user webhook does not have, and for url or events without a value', async () => {
  const { id } = await created()
  const cases: Array<[unknown, string]> = [
    [{ facilities: [] }, '/facilities unknown_field'],
    [{ url: null }, '/url wrong_type'],
    [{ url: '' }, '/url too_short'],
    [{ events: null }, '/events wrong_type'],
    [{ events: [] }, '/events too_few'],
    [{ events: ['shift.created'] }, '/events/0 unknown_value'],
  ]
  for (const [body, fault] of cases) assertFaults(await api.patch(`/webhooks/user/${id}`, body), fault)
})

test('404 for an id that nobody has', async () => {
  assertProblem(await api.patch('/webhooks/user/whk_nobody', { events: ['all'] }), 404, 'not_found')
})
