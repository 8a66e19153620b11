import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listDeliveries } from '../../src/domain/deliveries/delivery-list-store.ts'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import { deliveriesOf, only, type ShownDelivery, startDeliveryScene, statesBecome } from '../harness/delivery-scene.ts'
import { answers } from '../harness/receiver-farm.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const application = await scene.integrator()
const [riverside, hilltop] = await Promise.all([
  scene.facility('production', application),
  scene.facility('production', application),
])
const api = await scene.appApi(application)
const ids = (deliveries: ShownDelivery[]) => deliveries.map(({ id }) => id)

test('200 with what was delivered, failed and is still to be sent, newest first', async () => {
  const hook = await scene.hook(api, { facilities: [riverside] })
  await scene.happen('production', riverside)
  await statesBecome(api, hook, ['delivered'])
  hook.reply = answers(500)
  await scene.happen('production', riverside)
  await statesBecome(api, hook, ['pending', 'delivered'])
  await scene.lastAttempt(hook.id)
  await statesBecome(api, hook, ['failed', 'delivered'])
  const [eventId] = await scene.happen('production', riverside)
  const [pending, failed, delivered, ...others] = await statesBecome(api, hook, ['pending', 'failed', 'delivered'])
  assert.ok(pending && failed && delivered && others.length === 0)

  assert.match(pending.id, /^dlv_[0-9a-f]{32}$/)
  const { nextAttemptAt, attempts } = pending
  assert.deepEqual(pending, {
    id: pending.id,
    eventId,
    type: 'shift.created',
    facilityId: riverside,
    state: 'pending',
    reason: null,
    attempts,
    createdAt: pending.createdAt,
    nextAttemptAt,
    finishedAt: null,
  })
  assert.deepEqual([failed.reason, failed.attempts, failed.nextAttemptAt], ['attempts_used_up', 2, null])
  assert.deepEqual([delivered.reason, delivered.attempts, delivered.nextAttemptAt], [null, 1, null])
  assert.ok(Date.parse(delivered.finishedAt ?? '') >= Date.parse(delivered.createdAt))
})

test('200 with the deliveries that fit: by state, type, facility, event and time', async () => {
  const hook = await scene.hook(api, { facilities: [riverside, hilltop] })
  const [first] = await scene.happen('production', riverside)
  await scene.happen('production', hilltop, 1, { type: 'shift.cancelled' })
  await statesBecome(api, hook, ['delivered', 'delivered'])
  hook.reply = answers(500)
  await scene.happen('production', riverside, 1, { type: 'shift.cancelled' })
  const [c, b, a] = await statesBecome(api, hook, ['pending', 'delivered', 'delivered'])
  assert.ok(a && b && c)
  for (const [query, found] of [
    ['state=pending', [c]],
    ['state=delivered', [b, a]],
    ['state=failed', []],
    ['state=held', []],
    ['type=shift.cancelled', [c, b]],
    ['type=shift.created', [a]],
    [`facilityId=${riverside}`, [c, a]],
    [`facilityId=${hilltop}&type=shift.created`, []],
    ['facilityId=nowhere', []],
    [`eventId=${first}`, [a]],
    [`eventId=${first}&state=pending`, []],
    ['eventId=nothing', []],
    [`from=${b.createdAt}`, [c, b]],
    [`to=${b.createdAt}`, [a]],
    [`from=${a.createdAt}&to=${c.createdAt}`, [b, a]],
    [`from=${c.createdAt}&to=${a.createdAt}`, []],
    ['from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&state=delivered&type=shift.cancelled', [b]],
  ] as const)
    assert.deepEqual(ids(await deliveriesOf(api, hook, `?${query}`)), ids([...found]), query)
})

test('200 page by page: every delivery once, whichever table it is in', async () => {
  const hook = await scene.hook(api, { facilities: [hilltop] })
  await scene.happen('production', hilltop, 4)
  await statesBecome(api, hook, ['delivered', 'delivered', 'delivered', 'delivered'])
  hook.reply = answers(500)
  await scene.happen('production', hilltop, 3)
  const all = ids(await statesBecome(api, hook, [...Array(3).fill('pending'), ...Array(4).fill('delivered')]))
  assert.deepEqual(all, all.toSorted().toReversed())
  for (const limit of [1, 3, 6, 7]) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const answer = await api.get(`${hook.path}/deliveries?limit=${limit}${cursor && `&cursor=${cursor}`}`)
      const page: { data: ShownDelivery[]; next: string | null } = JSON.parse(answer.text)
      assert.ok(page.data.length <= limit)
      seen.push(...ids(page.data))
      if (page.next === null) break
      cursor = page.next
    }
    assert.deepEqual(seen, all)
  }
})

test('200 with a filter that hardly anything fits: pages are short, and the last one has it', async () => {
  const hook = await scene.hook(api, { facilities: [hilltop] })
  await scene.happen('production', hilltop, 1, { type: 'shift.cancelled' })
  const rare = only(await statesBecome(api, hook, ['delivered']))
  // Thirty thousand behind it in each table, as events that are over and events that are still to be sent.
  await scene.db`
    insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, attempts, created_at)
    select day, new_id('dlv'), webhook_id, environment, event_id, 'shift.created', false, 'failed', 1, created_at
    from finished_deliveries, generate_series(1, 30000) where id = ${rare.id}`
  await scene.db`
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, state, created_at)
    select new_id('dlv'), webhook_id, environment, day, event_id, 'shift.created', 'held', created_at
    from finished_deliveries, generate_series(1, 30000) where id = ${rare.id}`
  const found: string[] = []
  let pages = 0
  for (let cursor = ''; ; pages += 1) {
    const answer = await api.get(`${hook.path}/deliveries?type=shift.cancelled${cursor && `&cursor=${cursor}`}`)
    const page: { data: ShownDelivery[]; next: string | null } = JSON.parse(answer.text)
    found.push(...ids(page.data))
    if (page.next === null) break
    cursor = page.next
  }
  assert.deepEqual(found, [rare.id])
  assert.ok(pages > 0 && pages <= 4, `${pages} pages`)
})

test('200 of a user webhook: by person', async () => {
  const person = await scene.person()
  await scene.db`
    insert into consents (user_id, application_id, audience, scope)
    values (${person}, ${application.id}, 'urn:handover:api:production', '{marketplace:read}')`
  const hook = await scene.hook(api, { kind: 'user' })
  const event = { environment: 'production', type: 'facility.creation.accepted', userId: person, data: {} }
  assert.equal((await scene.platform.production.post('/events', event)).status, 202)
  const delivery = only(await statesBecome(api, hook, ['delivered']))
  assert.deepEqual([delivery.userId, delivery.type], [person, 'facility.creation.accepted'])
  assert.equal('facilityId' in delivery, false)
  assert.equal((await deliveriesOf(api, hook, `?userId=${person}`)).length, 1)
  assert.equal((await deliveriesOf(api, hook, `?userId=${scene.nurse.id}`)).length, 0)
  assertFaults(await api.get(`${hook.path}/deliveries?facilityId=x`), '/query/facilityId unknown_parameter')
})

test('what waits for a suspended application is held, as those see it who may still look', async () => {
  const suspended = await scene.integrator()
  const place = await scene.facility('production', suspended)
  const { id } = await scene.hook(await scene.appApi(suspended))
  await scene.db`update applications set suspended_at = now() where id = ${suspended.id}`
  await scene.happen('production', place)
  const anything = { state: null, type: null, subjectId: null, eventId: null, from: null, to: null }
  const { deliveries } = await listDeliveries(scene.db, id, anything, { before: null, limit: 10 })
  const { state, reason, nextAttemptAt } = only(deliveries)
  assert.deepEqual([state, reason, nextAttemptAt], ['held', 'application_suspended', null])
})

test('422 for everything that is wrong with the query, at once', async () => {
  const hook = await scene.hook(api, { facilities: [hilltop] })
  assertFaults(
    await api.get(`${hook.path}/deliveries?state=lost&type=all&from=yesterday&to=2026-11-15&limit=0&cursor=x`),
    '/query/state unknown_value',
    '/query/type unknown_value',
    '/query/from malformed',
    '/query/to malformed',
    '/query/limit out_of_range',
    '/query/cursor malformed',
  )
})

test('404 for whoever may not see the webhook, and for the other kind and the other environment', async () => {
  const [ann, bob] = [await scene.person(), await scene.person()]
  await scene.facility('production', ann)
  const asAnn = await scene.personApi(application, ann)
  const { path, id } = await scene.hook(asAnn)
  const others = [
    await scene.personApi(application, bob),
    await scene.appApi(await scene.integrator()),
    await scene.appApi(application, 'sandbox'),
  ]
  for (const other of others) assertProblem(await other.get(`${path}/deliveries`), 404, 'not_found')
  assertProblem(await asAnn.get(`/webhooks/user/${id}/deliveries`), 404, 'not_found')
  for (const may of [asAnn, api]) assert.equal((await may.get(`${path}/deliveries`)).status, 200)
})
