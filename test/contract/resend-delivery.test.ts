import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertProblem } from '../harness/api-client.ts'
import {
  arrivalsBecome,
  attemptCame,
  attemptsOf,
  deliveriesOf,
  deliveryIn,
  type Hook,
  only,
  startDeliveryScene,
  statesBecome,
} from '../harness/delivery-scene.ts'
import { answers, never } from '../harness/receiver-farm.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const { db } = scene
// As many as it likes, but in the test of the limit.
const application = await scene.integrator({ apiRatePerSecond: 500, apiRateBurst: 1_000 })
const facility = await scene.facility('production', application)
const api = await scene.appApi(application)

const resend = ({ path }: Hook, id: string, headers = {}) =>
  api.post(`${path}/deliveries/${id}/resend`, undefined, headers)
const health = async ({ id }: Hook) => {
  const [row] = await db`
    select consecutive_failures, failing_since, failures, warned, probe_at, not_before
    from webhook_schedules where webhook_id = ${id}`
  return row
}
/** A delivery of a webhook that is new, in the state that this status leads to. */
const made = async (status: number) => {
  const hook = await scene.hook(api, { facilities: [facility], reply: answers(status) })
  await scene.happen('production', facility)
  if (status >= 300) await scene.lastAttempt(hook.id)
  const delivery = only(await statesBecome(api, hook, [status < 300 ? 'delivered' : 'failed']))
  return { hook, delivery }
}

test('202 for one that was delivered: one attempt more, the same id and body, and the delivery stays what it is', async () => {
  const { hook, delivery } = await made(204)
  assert.deepEqual(deliveryIn(await resend(hook, delivery.id), 202), delivery)
  await arrivalsBecome(hook, 2)
  const [first, second] = hook.arrivals
  assert.deepEqual([second?.id, second?.bodyHash, second?.verifiedBy], [first?.id, first?.bodyHash, hook.secrets])
  const attempt = await attemptCame(api, hook, delivery.id, 2)
  assert.deepEqual([attempt.manual, attempt.status], [true, 204])
  const now = only(await deliveriesOf(api, hook))
  assert.deepEqual([now.state, now.attempts], ['delivered', 2])
})

test('202 for one that failed: another failure is one attempt and no more, and the webhook fares as before', async () => {
  const { hook, delivery } = await made(500)
  const before = await health(hook)
  assert.equal((await resend(hook, delivery.id)).status, 202)
  assert.equal((await attemptCame(api, hook, delivery.id, 3)).manual, true)
  const now = only(await deliveriesOf(api, hook))
  assert.deepEqual(now, { ...delivery, attempts: 3 })
  assert.deepEqual(await health(hook), before)
  assert.equal((await db`select 1 from deliveries where webhook_id = ${hook.id}`).length, 0)

  hook.reply = answers(200)
  assert.equal((await resend(hook, delivery.id)).status, 202)
  const done = only(await statesBecome(api, hook, ['delivered']))
  assert.deepEqual([done.attempts, done.reason], [4, null])
  assert.deepEqual(await health(hook), before, 'a success by hand closes no circuit')
})

test('202 signed by the secrets that the webhook has now', async () => {
  const { hook, delivery } = await made(204)
  hook.secrets.push('another secret')
  await api.patch(hook.path, { secrets: ['another secret'] })
  await resend(hook, delivery.id)
  await arrivalsBecome(hook, 2)
  assert.deepEqual(hook.arrivals.at(-1)?.verifiedBy, ['another secret'])
})

test('202 for one that waits for its next attempt: that is now, and it counts', async () => {
  const hook = await scene.hook(api, { facilities: [facility], reply: answers(500) })
  await scene.happen('production', facility)
  const { id } = only(await statesBecome(api, hook, ['pending']))
  await attemptCame(api, hook, id, 1)
  await db`update deliveries set due_at = now() + interval '1 hour' where id = ${id}`
  hook.reply = answers(200)
  assert.equal(deliveryIn(await resend(hook, id), 202).state, 'pending')
  const done = only(await statesBecome(api, hook, ['delivered']))
  assert.equal(done.attempts, 2)
  assert.deepEqual(
    (await attemptsOf(api, hook, id)).map(({ manual }) => manual),
    [false, false],
  )
})

test('202 before what waits already: somebody waits for this one', async () => {
  const { hook, delivery } = await made(204)
  // One at a time and none to begin with, so that what comes first is what is first in line.
  await db`update webhook_schedules set at_once = 1, not_before = now() + interval '1 hour' where webhook_id = ${hook.id}`
  await scene.happen('production', facility, 5)
  assert.equal((await resend(hook, delivery.id)).status, 202)
  await db`update webhook_schedules set not_before = null, due_at = now() where webhook_id = ${hook.id}`
  await arrivalsBecome(hook, 7)
  assert.equal(hook.arrivals[1]?.id, delivery.eventId)
})

test('409 in_flight while an attempt is under way', async () => {
  const hook = await scene.hook(api, { facilities: [facility], reply: never })
  await scene.happen('production', facility)
  await arrivalsBecome(hook, 1)
  const { id, nextAttemptAt } = only(await deliveriesOf(api, hook))
  assert.equal(nextAttemptAt, null)
  assertProblem(await resend(hook, id), 409, 'in_flight')
  await arrivalsBecome(hook, 1)
})

test('409 webhook_disabled, whatever the state', async () => {
  const { hook, delivery } = await made(204)
  await api.post(`${hook.path}/disable`)
  await scene.happen('production', facility)
  const [held] = await statesBecome(api, hook, ['held', 'delivered'])
  for (const id of [held?.id ?? '', delivery.id]) assertProblem(await resend(hook, id), 409, 'webhook_disabled')
  await arrivalsBecome(hook, 1)
})

test('409 not_wanted for what the webhook would not get any more: another event, another facility, access lost', async () => {
  const { hook, delivery } = await made(204)
  const refused = async (because: string) => {
    const answer = await resend(hook, delivery.id)
    assertProblem(answer, 409, 'not_wanted')
    assert.match(String(answer.body['detail']), new RegExp(because))
  }
  await api.patch(hook.path, { events: ['shift.cancelled'] })
  await refused('event_unsubscribed')
  const elsewhere = await scene.facility('production', application)
  await api.patch(hook.path, { events: ['all'], facilities: [elsewhere] })
  await refused('facility_removed')
  const own = await scene.person()
  await scene.db`insert into facility_access (environment, facility_id, user_id) values ('production', ${elsewhere}, ${own})`
  const asPerson = await scene.personApi(application, own)
  const theirs = await scene.hook(asPerson)
  await scene.happen('production', elsewhere)
  const { id } = only(await statesBecome(api, theirs, ['delivered']))
  await scene.db`delete from facility_access where user_id = ${own}`
  assertProblem(await resend(theirs, id), 409, 'not_wanted')
  await arrivalsBecome(theirs, 1)
})

test('202 twice with one Idempotency-Key: the same answer, one attempt', async () => {
  const { hook, delivery } = await made(204)
  const key = { 'idempotency-key': 'again' }
  const first = await resend(hook, delivery.id, key)
  assert.equal(first.status, 202)
  const second = await resend(hook, delivery.id, key)
  assert.deepEqual([second.text, second.headers.get('idempotent-replayed')], [first.text, 'true'])
  await attemptCame(api, hook, delivery.id, 2)
  await arrivalsBecome(hook, 2)
})

test('202 many times at once: each is an attempt of its own or joins one that waits, and none is lost', async () => {
  const { hook, delivery } = await made(204)
  const answered = await Promise.all(Array.from({ length: 5 }, () => resend(hook, delivery.id)))
  for (const { status, body } of answered) assert.ok(status === 202 || body['code'] === 'in_flight', String(status))
  const isQuiet = async () => (await db`select 1 from deliveries where webhook_id = ${hook.id}`).length === 0
  assert.ok(await soon(isQuiet, PATIENCE_MS))
  const { attempts } = only(await deliveriesOf(api, hook))
  assert.equal(attempts, hook.arrivals.length)
  assert.ok(attempts >= 2 && attempts <= 6)
})

test('404 for what is no delivery of this webhook', async () => {
  const { hook, delivery } = await made(204)
  const other = await scene.hook(api)
  assertProblem(await resend(hook, `dlv_${'0'.repeat(32)}`), 404, 'not_found')
  assertProblem(await resend(hook, 'x'), 404, 'not_found')
  assertProblem(await resend(other, delivery.id), 404, 'not_found')
  const stranger = await scene.appApi(await scene.integrator())
  assertProblem(await stranger.post(`${hook.path}/deliveries/${delivery.id}/resend`), 404, 'not_found')
})

test('429 beyond 20 at once, for each application by itself', async () => {
  // Slow to come back, so that a slow machine changes nothing.
  const busy = await scene.integrator({ apiRatePerSecond: 1 })
  const asBusy = await scene.appApi(busy)
  const path = `/webhooks/user/whk_nobody/deliveries/dlv_nothing/resend`
  const answered = await Promise.all(Array.from({ length: 40 }, () => asBusy.post(path)))
  const refused = answered.filter(({ status }) => status === 429)
  const passed = answered.length - refused.length
  assert.ok(passed >= 20 && refused.length > 0, `${passed} passed`)
  for (const answer of refused) {
    assertProblem(answer, 429, 'too_many_requests')
    assert.equal(answer.headers.get('x-ratelimit-limit'), '20')
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
  }
  assert.equal((await asBusy.get('/webhooks/user')).status, 200, 'other operations have their own limit')
  assertProblem(await api.post(path), 404, 'not_found')
})
