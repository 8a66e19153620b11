import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
await scene.facility('production', application)
const api = await scene.appApi(application)
const bodies = { facility: FACILITY_HOOK, user: USER_HOOK }

for (const kind of ['facility', 'user'] as const) {
  const created = async () => webhookIn(await api.post(`/webhooks/${kind}`, bodies[kind]), 201)

  test(`200 disabling a ${kind} webhook: its status and the reason say so; enabling takes both back`, async () => {
    const webhook = await created()
    assert.deepEqual([webhook.status, webhook.disabledReason], ['enabled', null])
    const disabled = webhookIn(await api.post(`/webhooks/${kind}/${webhook.id}/disable`))
    const { updatedAt } = disabled
    assert.deepEqual(disabled, { ...webhook, status: 'disabled', disabledReason: 'by_request', updatedAt })
    assert.deepEqual(webhookIn(await api.get(`/webhooks/${kind}/${webhook.id}`)), disabled)
    const enabled = webhookIn(await api.post(`/webhooks/${kind}/${webhook.id}/enable`))
    assert.deepEqual(enabled, { ...webhook, updatedAt: enabled.updatedAt })
  })

  test(`200 saying it twice of a ${kind} webhook: the same answer, and the same version`, async () => {
    const { id } = await created()
    for (const verb of ['disable', 'enable']) {
      const first = await api.post(`/webhooks/${kind}/${id}/${verb}`)
      const second = await api.post(`/webhooks/${kind}/${id}/${verb}`)
      assert.deepEqual(second.body, first.body)
      assert.equal(second.headers.get('etag'), first.headers.get('etag'))
    }
  })
}

test('200 for a change of a disabled webhook: it stays disabled', async () => {
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  await api.post(`/webhooks/user/${id}/disable`)
  assert.equal(webhookIn(await api.patch(`/webhooks/user/${id}`, { events: ['all'] })).status, 'disabled')
})

test('412 for another version than the present one', async () => {
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  const etag = (await api.get(`/webhooks/user/${id}`)).headers.get('etag') ?? ''
  assert.equal((await api.post(`/webhooks/user/${id}/disable`, undefined, { 'if-match': etag })).status, 200)
  const late = await api.post(`/webhooks/user/${id}/enable`, undefined, { 'if-match': etag })
  assertProblem(late, 412, 'version_changed')
  assert.equal(webhookIn(await api.get(`/webhooks/user/${id}`)).status, 'disabled')
})

test('412 for disabling another version: nothing changes', async () => {
  const before = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  const refused = await api.post(`/webhooks/user/${before.id}/disable`, undefined, { 'if-match': '"x"' })
  assertProblem(refused, 412, 'version_changed')
  const now = await api.get(`/webhooks/user/${before.id}`)
  assert.deepEqual(webhookIn(now), before)
  assert.equal(refused.headers.get('etag'), now.headers.get('etag'))
})

test('200 with an empty object for a body; 422 for a field, because there is none to take', async () => {
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  assert.equal((await api.post(`/webhooks/user/${id}/disable`, {})).status, 200)
  assertFaults(await api.post(`/webhooks/user/${id}/disable`, { reason: 'x' }), '/reason unknown_field')
  assertFaults(await api.post(`/webhooks/user/${id}/disable`, [1]), ' wrong_type')
  assertFaults(await api.raw('DELETE', `/webhooks/user/${id}`, '{"force":true}'), '/force unknown_field')
  assert.equal((await api.get(`/webhooks/user/${id}`)).status, 200, 'it is still there')
})

test('404 for an id that nobody has', async () => {
  for (const verb of ['enable', 'disable'])
    assertProblem(await api.post(`/webhooks/facility/whk_nobody/${verb}`), 404, 'not_found')
})
