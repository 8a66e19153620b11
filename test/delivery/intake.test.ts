import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { allowScope, revokeConsent } from '../../src/domain/consents/consent-store.ts'
import { grantAccess } from '../../src/domain/facilities/facility-store.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../../src/domain/webhooks/event-names.ts'
import { newId } from '../../src/platform/ids.ts'
import { assertFaults, assertProblem, faultsIn } from '../harness/api-client.ts'
import { untilForgotten } from '../harness/left-sessions.ts'
import { platformAt } from '../harness/platform-scene.ts'
import { startWorkerOf } from '../harness/sending-process.ts'
import { statesBecome, statesOf } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { SANDBOX } from '../harness/token-scene.ts'

const scene = await startSendingScene()
after(scene.stop)
const { db, platform } = scene

const knownIds = async (...ids: string[]) => {
  const rows = await db<Array<{ id: string }>>`select id from event_ids where id = any(${ids})`
  return rows.map(({ id }) => id).toSorted()
}

test('of fifty that come at once with one id, one is the event', async () => {
  const subscriber = await scene.subscriber()
  const event = scene.event({ id: 'fifty-at-once' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => platform.post('/events', event)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202])
  const firsts = answers.filter(({ text }) => text.includes('"duplicate":false'))
  assert.equal(firsts.length, 1)
  assert.match(firsts[0]?.text ?? '', /"deliveries":[1-9]/)
  await statesBecome(db, subscriber.webhookId, { delivered: 1 })
  assert.equal(subscriber.arrivals.length, 1)
})

test('another body under a known id is 409, to the byte of its data', async () => {
  const event = scene.event({ id: 'one-body', data: { a: 1, b: 2 } })
  assert.equal((await platform.post('/events', event)).status, 202)
  assert.match((await platform.post('/events', event)).text, /"duplicate":true,"deliveries":0/)
  for (const change of [
    { data: { a: 1, b: 3 } },
    { data: { b: 2, a: 1 } },
    { type: 'shift.cancelled' },
    { facilityId: 'fac_another' },
    { occurredAt: '2026-11-15T08:00:00Z' },
  ]) {
    const answer = await platform.post('/events', { ...event, ...change })
    assertProblem(answer, 409, 'id_taken')
    assert.deepEqual(
      faultsIn(answer).map(({ pointer, code }) => `${pointer} ${code}`),
      ['/id id_taken'],
    )
  }
})

test('a batch is all or none: what is new in one that is refused is new when it comes again', async () => {
  const subscriber = await scene.subscriber()
  assert.equal((await platform.post('/events', scene.event({ id: 'taken' }))).status, 202)
  const fresh = [scene.event({ id: 'fresh-1' }), scene.event({ id: 'fresh-2' })]
  const refused = await platform.post('/events', [fresh[0], scene.event({ id: 'taken', data: {} }), fresh[1]])
  assertProblem(refused, 409, 'id_taken')
  assert.deepEqual(
    faultsIn(refused).map(({ pointer }) => pointer),
    ['/1/id'],
  )
  assert.deepEqual(await knownIds('fresh-1', 'fresh-2'), [])
  const again = await platform.post('/events', fresh)
  assert.equal(again.status, 202)
  assert.doesNotMatch(again.text, /"duplicate":true/)
  await statesBecome(db, subscriber.webhookId, { delivered: 3 })
})

test('422 names everything that is wrong with a batch, and nothing of it is stored', async () => {
  const answer = await platform.post('/events', [
    scene.event({ id: 'sound-1' }),
    scene.event({ id: 'bad id' }),
    scene.event({ id: 'wrong-type', type: 'shift.scheduled.' }),
    scene.event({ id: 'production', environment: 'production' }),
    scene.event({ id: 'both', userId: 'usr_1' }),
    scene.event({ id: 'no-subject', type: 'facility.creation.accepted', facilityId: undefined }),
    scene.event({ id: 'no-data', data: undefined }),
    scene.event({ id: 'sound-2', occurredAt: '2026-11-15T08:00:00' }),
    scene.event({ id: 'sound-1' }),
  ])
  assertFaults(
    answer,
    '/1/id malformed',
    '/2/type unknown_value',
    '/3/environment wrong_environment',
    '/4/userId unknown_field',
    '/5/userId required',
    '/6/data required',
    '/7/occurredAt malformed',
    '/8/id duplicate',
  )
  assert.deepEqual(await knownIds('sound-1', 'sound-2', 'production'), [])
})

test('500 at once are taken, 501 and none are not', async () => {
  const many = (count: number, from: string) =>
    Array.from({ length: count }, (_, number) =>
      scene.event({ id: `${from}-${number}`, facilityId: 'fac_nobody_subscribed' }),
    )
  const taken = await platform.post('/events', many(500, 'm'))
  assert.equal(taken.status, 202, taken.text)
  const [count] = await db<[{ count: number }]>`select count(*)::int as count from events where id like 'm-%'`
  assert.equal(count.count, 500)
  assertFaults(await platform.post('/events', many(501, 'n')), ' too_many')
  assertFaults(await platform.post('/events', []), ' too_few')
  assert.equal((await db`select 1 from event_ids where id like 'n-%'`).length, 0)
})

test('data has 128 KiB of room, counted in bytes as they came', async () => {
  const sized = (bytes: number) => ({ t: 'é'.repeat(Math.floor((bytes - 8) / 2)) + (bytes % 2 === 1 ? 'x' : '') })
  assert.equal(Buffer.byteLength(JSON.stringify(sized(131_072))), 131_072)
  assert.equal((await platform.post('/events', scene.event({ data: sized(131_072) }))).status, 202)
  assertFaults(await platform.post('/events', scene.event({ data: sized(131_073) })), '/data too_long')
})

test('environments do not meet: neither ids nor webhooks', async () => {
  const { demo } = scene
  const production = platformAt(scene.url, demo['PLATFORM_KEY_PROD'] ?? '')
  const subscriber = await scene.subscriber()
  const event = { ...scene.event({ id: 'in-both' }), environment: 'production' }
  assert.equal((await production.post('/events', event)).status, 202)
  assertFaults(await platform.post('/events', event), '/environment wrong_environment')
  const ours = await platform.post('/events', { ...event, environment: 'sandbox', data: { other: true } })
  assert.match(ours.text, /"duplicate":false/)
  await statesBecome(db, subscriber.webhookId, { delivered: 1 })
  assert.match(subscriber.arrivals[0]?.body.toString() ?? '', /"environment":"sandbox"/)
})

test('names match exactly: a webhook gets what it lists, `all` gets everything of its kind', async () => {
  const facilityId = await scene.facility()
  const lists = [['shift.scheduled'], ['shift.scheduled.cancelled'], ['shift.report.accepted'], ['all']]
  const subscribers = await Promise.all(lists.map((events) => scene.subscriber({ events, facilities: [facilityId] })))
  const types = FACILITY_EVENTS.map((type) => scene.event({ id: `of-${type.replaceAll('.', '_')}`, type, facilityId }))
  await scene.publish(types)
  const expected = [1, 1, 1, FACILITY_EVENTS.length]
  for (const [position, subscriber] of subscribers.entries()) {
    await statesBecome(db, subscriber.webhookId, { delivered: expected[position] ?? 0 })
    const got = subscriber.arrivals.map(({ body }) => /"type":"([^"]+)"/.exec(body.toString())?.[1] ?? '')
    const wanted = lists[position]?.[0] === 'all' ? [...FACILITY_EVENTS] : (lists[position] ?? [])
    assert.deepEqual(got.toSorted(), wanted.toSorted())
  }
})

test('a facility webhook of a person gets only what happens where the person has access', async () => {
  const userId = await scene.person()
  const [theirs, others] = [await scene.facility(), await scene.facility()]
  await grantAccess(db, { environment: 'sandbox', id: theirs }, userId)
  const subscriber = await scene.subscriber({ userId, facilities: [theirs, others] })
  await scene.publish([scene.event({ facilityId: others }), scene.event({ facilityId: theirs })])
  await statesBecome(db, subscriber.webhookId, { delivered: 1 })
  assert.match(subscriber.arrivals[0]?.body.toString() ?? '', new RegExp(`"facilityId":"${theirs}"`))
})

test('events about a person go to that person’s webhooks, and to applications the person allowed', async () => {
  const [userId, otherId] = [await scene.person(), await scene.person()]
  const stranger = newId('app')
  await insertApplication(db, newApplication({ id: stranger, name: 'Stranger', type: 'machine' }))
  const { id: applicationId } = scene.application
  const allow = (who: string, audience: string, whom = applicationId) =>
    allowScope(db, { userId: who, applicationId: whom, audience }, ['openid'])
  await allow(userId, SANDBOX)
  await allow(otherId, SANDBOX)
  // For another API, and for none, is not for this one.
  await allow(userId, 'urn:handover:api:production', stranger)
  await allow(userId, '', stranger)
  const user = { kind: 'user' as const, facilities: [] }
  const [own, app, other, strange, production] = await Promise.all([
    scene.subscriber({ ...user, userId }),
    scene.subscriber(user),
    scene.subscriber({ ...user, userId: otherId }),
    scene.subscriber({ ...user, applicationId: stranger }),
    scene.subscriber({ ...user, environment: 'production' }),
  ])
  const event = (more: Record<string, unknown>) => ({
    ...scene.event({ facilityId: undefined, type: 'facility.creation.accepted', ...more }),
  })
  await scene.publish(USER_EVENTS.map((type) => event({ userId, type })))
  await statesBecome(db, own.webhookId, { delivered: 4 })
  await statesBecome(db, app.webhookId, { delivered: 4 })
  for (const nobody of [other, strange, production]) assert.deepEqual(await statesOf(db, nobody.webhookId), {})

  await revokeConsent(db, userId, applicationId)
  await scene.publish([event({ userId }), event({ userId: otherId })])
  await statesBecome(db, other.webhookId, { delivered: 1 })
  await statesBecome(db, app.webhookId, { delivered: 5 })
  assert.deepEqual(await statesOf(db, own.webhookId), { delivered: 4 })
})

test('what was answered 202 is there, though the process dies with the answer', async () => {
  const facilityId = await scene.facility()
  const subscriber = await scene.subscriber({ facilities: [facilityId] })
  const web = await startWorkerOf(scene, 'web')
  const direct = platformAt(web.url, scene.demo['PLATFORM_KEY'] ?? '')
  const answered: string[] = []
  const publishing = Array.from({ length: 30 }, async (_, number) => {
    const id = `dies-${number}`
    const { status } = await direct.post('/events', scene.event({ id, facilityId }))
    if (status === 202) answered.push(id)
    if (answered.length === 5) await web.kill()
  })
  await Promise.allSettled(publishing)
  assert.ok(answered.length >= 5)
  assert.deepEqual(await knownIds(...answered), answered.toSorted())
  // What it had sent before it died may be committed after that.
  await untilForgotten(db, web.pid)
  const stored = await db`select 1 from events where id like 'dies-%'`
  await statesBecome(db, subscriber.webhookId, { delivered: stored.length })
  for (const id of answered) assert.ok(subscriber.arrivals.some((arrival) => arrival.id === id))
})
