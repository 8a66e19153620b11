import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertFaults, webhookIn } from '../harness/api-client.ts'
import {
  arrivalsBecome,
  deliveriesOf,
  deliveryIn,
  type Hook,
  only,
  startDeliveryScene,
  statesBecome,
} from '../harness/delivery-scene.ts'
import { answers } from '../harness/receiver-farm.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const { db } = scene
const application = await scene.integrator()
const facility = await scene.facility('production', application)
const api = await scene.appApi(application)

const newHook = () => scene.hook(api, { facilities: [facility] })
const disable = async ({ path }: Hook) => webhookIn(await api.post(`${path}/disable`))

test('what happens while a webhook is disabled is held and listed; enabling sends it', async () => {
  const hook = await newHook()
  await disable(hook)
  await scene.happen('production', facility, 3)
  const held = await deliveriesOf(api, hook)
  assert.deepEqual(
    held.map(({ state, reason, nextAttemptAt, attempts }) => `${state} ${reason} ${nextAttemptAt} ${attempts}`),
    Array(3).fill('held webhook_disabled null 0'),
  )
  assert.equal((await deliveriesOf(api, hook, '?state=held')).length, 3)
  assert.equal((await deliveriesOf(api, hook, '?state=pending')).length, 0)
  await arrivalsBecome(hook, 0)
  assert.equal(webhookIn(await api.post(`${hook.path}/enable`)).status, 'enabled')
  await statesBecome(api, hook, Array(3).fill('delivered'))
  await arrivalsBecome(hook, 3)
})

test('what waits for its next attempt is held as well, and goes on where it was', async () => {
  const hook = await newHook()
  hook.reply = answers(500)
  await scene.happen('production', facility)
  const tried = async () => only(await deliveriesOf(api, hook)).attempts === 1
  while (!(await tried())) await sleep(20)
  await disable(hook)
  const held = only(await deliveriesOf(api, hook))
  assert.deepEqual([held.state, held.reason, held.attempts], ['held', 'webhook_disabled', 1])
  await db`update deliveries set due_at = now() where id = ${held.id}`
  hook.reply = answers(200)
  await api.post(`${hook.path}/enable`, { held: 'send' })
  assert.equal(only(await statesBecome(api, hook, ['delivered'])).attempts, 2)
})

test('enabled with held: keep, what was held stays so; what happens from then on is sent', async () => {
  const hook = await newHook()
  await disable(hook)
  await scene.happen('production', facility, 2)
  webhookIn(await api.post(`${hook.path}/enable`, { held: 'keep' }))
  await scene.happen('production', facility)
  const [, kept] = await statesBecome(api, hook, ['delivered', 'held', 'held'])
  assert.equal(kept?.reason, 'kept')
  await arrivalsBecome(hook, 1)

  const asked = deliveryIn(await api.post(`${hook.path}/deliveries/${kept?.id}/resend`), 202)
  assert.deepEqual([asked.state, asked.reason], ['pending', null])
  await statesBecome(api, hook, ['delivered', 'delivered', 'held'])
  await arrivalsBecome(hook, 2)

  await disable(hook)
  const still = (await deliveriesOf(api, hook, '?state=held')).map(({ reason }) => reason)
  assert.deepEqual(still, ['kept'], 'disabling adds no reason to what is kept anyway')
  await api.post(`${hook.path}/enable`)
  await statesBecome(api, hook, ['delivered', 'delivered', 'held'])
})

test('many that were held are kept, every one of them', async () => {
  const hook = await newHook()
  await disable(hook)
  await scene.happen('production', facility)
  await db`
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type)
    select new_id('dlv'), webhook_id, environment, day, event_id, event_type
    from deliveries, generate_series(1, 12000) where webhook_id = ${hook.id}`
  webhookIn(await api.post(`${hook.path}/enable`, { held: 'keep' }))
  const [row] = await db`
    select count(*)::int as kept from deliveries where webhook_id = ${hook.id} and state = 'held'`
  assert.equal(row?.['kept'], 12_001)
  await arrivalsBecome(hook, 0)
})

test('enabling begins anew: failures, pauses and an open circuit are forgotten', async () => {
  const hook = await newHook()
  await db`
    update webhook_schedules set consecutive_failures = 12, failing_since = now() - interval '4 days', failures = 50,
      warned = 75, probe_at = now() + interval '1 hour', not_before = now() + interval '1 hour'
    where webhook_id = ${hook.id}`
  await db`update webhooks set disabled_because = 'failing' where id = ${hook.id}`
  await scene.happen('production', facility)
  await api.post(`${hook.path}/enable`)
  await statesBecome(api, hook, ['delivered'])
  const [row] = await db`
    select consecutive_failures, failing_since, failures, warned, probe_at, not_before
    from webhook_schedules where webhook_id = ${hook.id}`
  assert.deepEqual(
    { ...row },
    { consecutive_failures: 0, failing_since: null, failures: 0, warned: 0, probe_at: null, not_before: null },
  )
})

test('enabling one that is enabled changes nothing: neither how it fares nor what is kept', async () => {
  const hook = await newHook()
  await db`update webhook_schedules set consecutive_failures = 3 where webhook_id = ${hook.id}`
  const before = (await api.get(hook.path)).text
  assert.equal((await api.post(`${hook.path}/enable`, { held: 'keep' })).text, before)
  const [row] = await db`select consecutive_failures from webhook_schedules where webhook_id = ${hook.id}`
  assert.equal(row?.['consecutive_failures'], 3)
})

test('422 for another choice than send and keep', async () => {
  const { path } = await newHook()
  assertFaults(await api.post(`${path}/enable`, { held: 'drop' }), '/held unknown_value')
  assertFaults(
    await api.post(`${path}/enable`, { held: null, hold: 1 }),
    '/held wrong_type',
    '/held unknown_value',
    '/hold unknown_field',
  )
  assertFaults(await api.raw('POST', `${path}/enable`, 'null'), ' wrong_type')
  assertFaults(await api.post(`${path}/enable`, []), ' wrong_type')
})

/** A claim that a worker has made and not sent yet, or not said so. */
async function claimed(hook: Hook): Promise<void> {
  await db`
    update webhook_schedules set not_before = now() + interval '1 hour', due_at = 'infinity' where webhook_id = ${hook.id}`
  await scene.happen('production', facility)
  await db`
    update deliveries set leased_until = now() + interval '20 seconds', due_at = now() + interval '20 seconds'
    where webhook_id = ${hook.id}`
}
const sent = ({ id }: Hook) => db`update deliveries set sent = true where webhook_id = ${id}`

for (const [what, ask] of [
  ['disabling', (hook) => api.post(`${hook.path}/disable`)],
  ['disabling with an Idempotency-Key', (hook) => api.post(`${hook.path}/disable`, {}, { 'idempotency-key': 'k' })],
  ['deleting', (hook) => api.delete(hook.path)],
] satisfies Array<[string, (hook: Hook) => Promise<unknown>]>) {
  test(`${what} is done at once and answered when nothing is left that could still begin to be sent`, async () => {
    const hook = await newHook()
    await claimed(hook)
    const began = performance.now()
    let isAnswered = false
    const asked = async () => {
      await ask(hook)
      isAnswered = true
    }
    const answer = asked()
    const isDone = async () => {
      const shownNow = await api.get(hook.path)
      return shownNow.status === 404 || webhookIn(shownNow).status === 'disabled'
    }
    while (!(await isDone())) await sleep(10)
    // It waits a second at most; a machine that has no time for us proves nothing.
    const isSlow = performance.now() - began > 900
    assert.ok(isSlow || !isAnswered, 'committed, and still waiting')
    await sent(hook)
    await answer
  })
}

test('disabling waits a second for a worker that says nothing, and no longer', async () => {
  const hook = await newHook()
  await claimed(hook)
  const began = performance.now()
  await disable(hook)
  const waited = performance.now() - began
  assert.ok(waited >= 1_000, `${waited} ms`)
})
