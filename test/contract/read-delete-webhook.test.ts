import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const person = await scene.person()
await scene.facility('production', person)
const asPerson = await scene.personApi(application, person)
const asApplication = await scene.appApi(application)
const bodies = { facility: FACILITY_HOOK, user: USER_HOOK }

for (const kind of ['facility', 'user'] as const) {
  const created = async () => webhookIn(await asPerson.post(`/webhooks/${kind}`, bodies[kind]), 201)

  test(`200 reading a ${kind} webhook, by the person and by the application: as it was created, with its ETag`, async () => {
    const webhook = await created()
    for (const api of [asPerson, asApplication]) {
      const answer = await api.get(`/webhooks/${kind}/${webhook.id}`)
      assert.deepEqual(webhookIn(answer), webhook)
      assert.match(answer.headers.get('etag') ?? '', /^"[\w.-]+"$/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  })

  test(`204 deleting a ${kind} webhook: no body, and it is gone from reading and from the list`, async () => {
    for (const api of [asPerson, asApplication]) {
      const { id } = await created()
      const answer = await api.delete(`/webhooks/${kind}/${id}`)
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assertProblem(await asPerson.get(`/webhooks/${kind}/${id}`), 404, 'not_found')
      assert.ok(!(await asPerson.get(`/webhooks/${kind}`)).text.includes(id))
    }
  })

  test(`404 deleting a ${kind} webhook twice, and everything else that is asked of it then`, async () => {
    const { id } = await created()
    await asPerson.delete(`/webhooks/${kind}/${id}`)
    const path = `/webhooks/${kind}/${id}`
    assertProblem(await asPerson.delete(path), 404, 'not_found')
    assertProblem(await asPerson.patch(path, { events: ['all'] }), 404, 'not_found')
    for (const verb of ['enable', 'disable']) assertProblem(await asPerson.post(`${path}/${verb}`), 404, 'not_found')
  })

  test(`412 deleting a ${kind} webhook of another version: it stays, and the answer names the present one`, async () => {
    const { id } = await created()
    const path = `/webhooks/${kind}/${id}`
    const first = (await asPerson.get(path)).headers.get('etag') ?? ''
    await asPerson.patch(path, { events: ['all'] })
    const refused = await asPerson.delete(path, { 'if-match': first })
    assertProblem(refused, 412, 'version_changed')
    const present = (await asPerson.get(path)).headers.get('etag') ?? ''
    assert.equal(refused.headers.get('etag'), present)
    assert.equal((await asPerson.delete(path, { 'if-match': present })).status, 204)
  })
}

test('If-Match takes several, and a star; a weak one never matches (RFC 9110 13.1.1)', async () => {
  const { id } = webhookIn(await asPerson.post('/webhooks/user', USER_HOOK), 201)
  const path = `/webhooks/user/${id}`
  const etag = (await asPerson.get(path)).headers.get('etag') ?? ''
  for (const [ifMatch, status] of [
    [etag, 200],
    [`"other", ${etag}`, 200],
    ['*', 200],
    [`W/${etag}`, 412],
    ['"other"', 412],
    [etag.replaceAll('"', ''), 412],
  ] as const)
    assert.equal((await asPerson.patch(path, {}, { 'if-match': ifMatch })).status, status, ifMatch)
})

test('a facility that the marketplace removes leaves the webhook, and its ETag is another one', async () => {
  const gone = await scene.facility('production', person)
  const { id } = webhookIn(await asPerson.post('/webhooks/facility', FACILITY_HOOK), 201)
  const before = await asPerson.get(`/webhooks/facility/${id}`)
  assert.ok(webhookIn(before).facilities?.includes(gone))
  await scene.db`delete from facilities where id = ${gone}`
  const now = await asPerson.get(`/webhooks/facility/${id}`)
  assert.ok(!webhookIn(now).facilities?.includes(gone))
  assert.notEqual(now.headers.get('etag'), before.headers.get('etag'))
})

test('404 for ids that cannot be one', async () => {
  for (const id of ['x', 'whk_', '0', 'null', '%F0%9F%92%A5', "'", 'whk_%00', '%00', 'a'.repeat(256)])
    assertProblem(await asPerson.get(`/webhooks/facility/${id}`), 404, 'not_found')
})

test('422 for a query that the operation does not take', async () => {
  const { id } = webhookIn(await asPerson.post('/webhooks/user', USER_HOOK), 201)
  assertFaults(await asPerson.get(`/webhooks/user/${id}?fields=url`), '/query/fields unknown_parameter')
  assertFaults(await asPerson.delete(`/webhooks/user/${id}?force=1`), '/query/force unknown_parameter')
  assert.equal((await asPerson.get(`/webhooks/user/${id}`)).status, 200)
})
