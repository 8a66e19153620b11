import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import { only } from '../harness/delivery-scene.ts'
import { listenerIn, report, startListenerScene } from '../harness/listener-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startListenerScene()
after(scene.stop)
const { hookOf, place, put, stream } = scene

test('201 PUT makes one facility webhook and one user webhook with the same secret; 200 brings them up to date', async () => {
  const at = await place()
  const made = await put(at)
  assert.deepEqual(made.facilityWebhook?.facilities, [at.facilityId])
  assert.deepEqual(made.facilityWebhook.events, ['all'])
  assert.deepEqual(made.userWebhook?.events, ['all'])
  assert.deepEqual(made.userWebhook.secrets, made.secrets)
  assert.match(only(made.secrets), /^whsec_/)
  assert.equal(made.facilityWebhook.url, `${scene.url}/api/v2/public/sandbox/listeners/laptop`)

  const later = await scene.facility('sandbox', at.application)
  await at.api.post(`/webhooks/facility/${made.facilityWebhook.id}/disable`)
  const kept = await put(at, 'laptop', { events: ['shift.created'] }, 200)
  assert.deepEqual(kept.facilityWebhook?.facilities?.toSorted(), [at.facilityId, later].toSorted())
  assert.deepEqual(kept.facilityWebhook.events, ['shift.created'])
  assert.equal(kept.facilityWebhook.status, 'enabled')
  assert.equal(kept.userWebhook, null)
  assert.deepEqual(kept.secrets, made.secrets)
  assert.deepEqual(listenerIn(await at.api.get('/sandbox/listeners/laptop')), kept)
})

test('an application without a facility listens to what comes of its people, and to facilities from the next start on', async () => {
  const application = await scene.integrator()
  const token = await scene.appToken(application, 'sandbox')
  const at = { application, token, api: scene.api(token), facilityId: '' }
  assert.deepEqual((await put(at)).facilityWebhook?.facilities, [])
  const facilityId = await scene.facility('sandbox', application)
  assert.deepEqual((await put(at, 'laptop', {}, 200)).facilityWebhook?.facilities, [facilityId])
})

test('deleting its webhooks one by one, as in the portal, ends its stream too; nor does it count any more', async () => {
  const at = await place()
  const { facilityWebhook, userWebhook } = await put(at)
  const opened = await stream(at)
  assert.equal((await at.api.delete(`/webhooks/user/${userWebhook?.id}`)).status, 204)
  await scene.happen('sandbox', at.facilityId)
  await opened.handedBecome(1)
  assert.equal((await at.api.delete(`/webhooks/facility/${facilityWebhook?.id}`)).status, 204)
  assert.equal(await opened.ended(), 'deleted')
  await put(at, 'another')
  assertProblem(await at.api.get('/sandbox/listeners/laptop'), 404, 'not_found')
})

test('204 DELETE ends the stream and cancels what waits; then 404', async () => {
  const at = await place()
  const listener = await put(at)
  const opened = await stream(at)
  await scene.happen('sandbox', at.facilityId)
  const handed = only(await opened.handedBecome(1))
  assert.equal((await at.api.delete('/sandbox/listeners/laptop')).status, 204)
  assert.equal(await opened.ended(), 'deleted')
  for (const path of ['', '/stream'])
    assertProblem(await at.api.get(`/sandbox/listeners/laptop${path}`), 404, 'not_found')
  assertProblem(await at.api.delete('/sandbox/listeners/laptop'), 404, 'not_found')
  assertProblem(await report(at, handed), 404, 'not_found')
  const isCancelled = async () => {
    const rows = await scene.db`
      select 1 from finished_deliveries where id = ${handed.deliveryId} and because = 'webhook_deleted'`
    return rows.length === 1
  }
  assert.ok(await soon(isCancelled, PATIENCE_MS))
  assertProblem(await at.api.get(hookOf(listener).path), 404, 'not_found')
})

test('409 limit_reached for the 21st listener, and where the application has as many webhooks as it may', async () => {
  const at = await place()
  for (let number = 0; number < 20; number += 1) await put(at, `laptop-${number}`, { events: ['shift.created'] })
  assertProblem(await at.api.raw('PUT', '/sandbox/listeners/laptop', '{}'), 409, 'limit_reached')
  await put(at, 'laptop-3', {}, 200)
  const few = await scene.integrator({ webhooksPerApplication: 0 })
  const api = await scene.appApi(few, 'sandbox')
  assertProblem(await api.raw('PUT', '/sandbox/listeners/laptop', '{}'), 409, 'limit_reached')
  assertProblem(await api.get('/sandbox/listeners/laptop'), 404, 'not_found')
})

test('its URL stays; a listener’s webhook is not turned into one that is called', async () => {
  const at = await place()
  const listener = await put(at)
  const { path } = hookOf(listener)
  assertFaults(await at.api.patch(path, { url: 'https://partner.example/hook' }), '/url listener')
  assert.equal((await at.api.patch(path, { events: ['shift.created'] })).status, 200)
})

test('of any number that make the same listener at once, one makes it', async () => {
  const at = await place()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => at.api.raw('PUT', '/sandbox/listeners/laptop', '{}')),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 7)
  const secrets = answers.map((answer) => only(listenerIn(answer, answer.status).secrets))
  assert.equal(new Set(secrets).size, 1)
  const rows = await scene.db`select 1 from webhooks where application_id = ${at.application.id}`
  assert.equal(rows.length, 2)
})
