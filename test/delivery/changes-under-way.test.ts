import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { allowScope, revokeConsent } from '../../src/domain/consents/consent-store.ts'
import { createSafeAgent } from '../../src/platform/safe-request/safe-agent.ts'
import type { Answer } from '../harness/answer.ts'
import { answers, type Reply } from '../harness/receiver-farm.ts'
import { attemptsOf, hurry, landed, statesBecome, statesOf } from '../harness/sending-rows.ts'
import { type Subscriber, startSendingScene } from '../harness/sending-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { SANDBOX } from '../harness/token-scene.ts'

/** Sizes that a soak raises. */
const PENDING = 100
const IN_FLIGHT = 5
const ALL = PENDING + IN_FLIGHT
const TRAVEL_MS = 200

const scene = await startSendingScene()
after(scene.stop)
const { db } = scene
const api = await scene.api()

/** A receiver that answers when it is told to, and then at once. */
function held() {
  const waiting: Array<() => void> = []
  let isOpen = false
  const reply =
    (then: Reply): Reply =>
    (response: ServerResponse, arrival) => {
      if (isOpen) then(response, arrival)
      else waiting.push(() => then(response, arrival))
    }
  return {
    reply,
    letGo: () => {
      isOpen = true
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

type UnderWay = {
  subscriber: Subscriber
  webhookId: string
  path: string
  facilityId: string
  letGo: () => void
  /** Requests that began after this moment. */
  after: (moment: number) => number
}

/** A webhook with 100 pending and 5 in flight, which end as told once they are let go. */
async function underWay(then: Reply, settings: Parameters<typeof scene.subscriber>[0] = {}): Promise<UnderWay> {
  const facilityId = await scene.facility()
  const gate = held()
  const isAboutPeople = settings.kind === 'user'
  const subscriber = await scene.subscriber({
    facilities: isAboutPeople ? [] : [facilityId],
    atOnce: IN_FLIGHT,
    perSecond: 10_000,
    reply: gate.reply(then),
    ...settings,
  })
  const subject = isAboutPeople
    ? { facilityId: undefined, userId: settings.userId, type: 'facility.creation.accepted' }
    : { facilityId }
  await scene.publish(Array.from({ length: ALL }, () => scene.event(subject)))
  assert.ok(await soon(async () => subscriber.arrivals.length === IN_FLIGHT, PATIENCE_MS))
  const { webhookId, arrivals } = subscriber
  return {
    subscriber,
    webhookId,
    path: `/webhooks/facility/${webhookId}`,
    facilityId,
    letGo: gate.letGo,
    after: (moment) => arrivals.filter(({ at }) => at > moment).length,
  }
}

async function answered(answer: Promise<Answer>, status: number): Promise<number> {
  const { status: given, text } = await answer
  const moment = performance.now()
  assert.equal(given, status, text)
  return moment
}

describe('with 100 pending and 5 in flight', () => {
  test('deleted: nothing begins any more, and every delivery says why', async () => {
    const scenes = await Promise.all([underWay(answers(200)), underWay(answers(500))])
    for (const { path, letGo, after: since, webhookId } of scenes) {
      const moment = await answered(api.delete(path), 204)
      letGo()
      await landed(db, webhookId)
      await soon(async () => (await statesOf(db, webhookId))['pending'] === undefined, PATIENCE_MS)
      assert.equal(since(moment), 0)
    }
    const [succeeded, failed] = scenes
    await statesBecome(db, succeeded?.webhookId ?? '', { delivered: IN_FLIGHT, 'cancelled webhook_deleted': PENDING })
    await statesBecome(db, failed?.webhookId ?? '', { 'cancelled webhook_deleted': ALL })
  })

  test('disabled: held, and sent when it is enabled', async () => {
    const { path, letGo, after: since, webhookId } = await underWay(answers(200))
    const moment = await answered(api.post(`${path}/disable`), 200)
    letGo()
    await statesBecome(db, webhookId, { delivered: IN_FLIGHT, pending: PENDING })
    await sleep(700)
    assert.equal(since(moment), 0)
    const listed = await api.get(`${path}/deliveries?limit=1`)
    assert.match(listed.text, /"state":"held"|"status":"held"/)
    await answered(api.post(`${path}/enable`), 200)
    await statesBecome(db, webhookId, { delivered: ALL })
  })

  test('another URL: the next attempt goes there', async () => {
    const { subscriber, path, letGo, after: since, webhookId } = await underWay(answers(200))
    const other = scene.farm.post({ secrets: subscriber.secrets })
    const moment = await answered(api.patch(path, { url: other.url }), 200)
    letGo()
    await statesBecome(db, webhookId, { delivered: ALL })
    assert.equal(since(moment + 1_000), 0, 'after a second at the latest')
    assert.ok(other.arrivals.length >= PENDING - IN_FLIGHT)
    assert.ok(other.arrivals.every(({ verifiedBy }) => verifiedBy.length === 1))
  })

  for (const [what, because, change] of [
    [
      'an event unsubscribed',
      'event_unsubscribed',
      ({ path }: UnderWay) => answered(api.patch(path, { events: ['shift.cancelled'] }), 200),
    ],
    [
      'a facility removed',
      'facility_removed',
      async ({ path }: UnderWay) => answered(api.patch(path, { facilities: [await scene.facility()] }), 200),
    ],
    [
      'access lost',
      'access_lost',
      async ({ facilityId }: UnderWay) => {
        await db`delete from facility_connections where facility_id = ${facilityId}`
        return performance.now()
      },
    ],
  ] as const)
    test(`${what}: cancelled, and within a second nothing is sent`, async () => {
      const scenes = await Promise.all([underWay(answers(200)), underWay(answers(500))])
      for (const each of scenes) {
        const moment = await change(each)
        each.letGo()
        await landed(db, each.webhookId)
        await hurry(db, each.webhookId)
        await soon(async () => (await statesOf(db, each.webhookId))['pending'] === undefined, PATIENCE_MS)
        assert.equal(each.after(moment + 1_000), 0)
      }
      const states = await Promise.all(scenes.map(({ webhookId }) => statesOf(db, webhookId)))
      const [first] = states
      assert.equal((first?.['delivered'] ?? 0) + (first?.[`cancelled ${because}`] ?? 0), ALL)
      assert.ok((first?.['delivered'] ?? 0) < 3 * IN_FLIGHT, JSON.stringify(first))
      assert.deepEqual(states[1], { [`cancelled ${because}`]: ALL })
    })

  test('consent revoked: cancelled', async () => {
    const userId = await scene.person()
    await allowScope(db, { userId, applicationId: scene.application.id, audience: SANDBOX }, ['openid'])
    const { letGo, after: since, webhookId } = await underWay(answers(500), { kind: 'user', userId })
    await revokeConsent(db, userId, scene.application.id)
    const moment = performance.now()
    letGo()
    await landed(db, webhookId)
    await hurry(db, webhookId)
    await statesBecome(db, webhookId, { 'cancelled consent_revoked': ALL })
    assert.equal(since(moment + 1_000), 0)
  })

  test('application suspended: held, and sent when it works again', async () => {
    const { letGo, after: since, webhookId } = await underWay(answers(200))
    await db`update applications set suspended_at = now() where id = ${scene.application.id}`
    const moment = performance.now()
    letGo()
    await sleep(1_500)
    assert.equal(since(moment + 1_000), 0)
    const { delivered = 0, pending = 0 } = await statesOf(db, webhookId)
    assert.equal(delivered + pending, ALL)
    assert.ok(pending > PENDING / 2, `${pending} wait`)
    await db`update applications set suspended_at = null where id = ${scene.application.id}`
    await statesBecome(db, webhookId, { delivered: ALL })
  })
})

describe('in the midst of sending', () => {
  for (const [what, change, status] of [
    ['deleted', (path: string) => api.delete(path), 204],
    ['disabled', (path: string) => api.post(`${path}/disable`), 200],
  ] as const)
    test(`${what} while requests leave as fast as they can: none begins after the answer`, async () => {
      for (let turn = 0; turn < 6; turn += 1) {
        const facilityId = await scene.facility()
        // However long the change takes, there is something left for it to stop: the last ones wait for it.
        const gate = held()
        const slowly = gate.reply(answers(204))
        const subscriber: Subscriber = await scene.subscriber({
          facilities: [facilityId],
          perSecond: 100_000,
          atOnce: 25,
          reply: (response, arrival) => (subscriber.arrivals.length > 150 ? slowly : answers(204))(response, arrival),
        })
        const { arrivals, webhookId } = subscriber
        await scene.publish(Array.from({ length: 200 }, () => scene.event({ facilityId })))
        assert.ok(await soon(async () => arrivals.length > turn * 5, PATIENCE_MS))
        const moment = await answered(change(`/webhooks/facility/${webhookId}`), status)
        gate.letGo()
        await landed(db, webhookId)
        const began = (await attemptsOf(db, webhookId)).map(({ started_at }) => started_at.getTime())
        const last = Math.max(...began) - (performance.timeOrigin + moment)
        assert.ok(last <= 0, `one began ${last} ms after`)
        // What had left takes its way through a machine that is busy with all of this.
        await sleep(TRAVEL_MS)
        const left = arrivals.length
        await sleep(TRAVEL_MS)
        assert.equal(arrivals.length, left)
        assert.ok(left < 200, 'there was something left to stop')
      }
    })
})

test('a connection that takes longer than anybody waits: deleted meanwhile, nothing is sent over it', async () => {
  const web = await startSendingScene('web')
  try {
    const far = await web.subscriber({ url: 'http://far.example:80/' })
    const post = new URL(far.url)
    await web.db`update webhooks set url = ${`http://far.example:${post.port}${post.pathname}`} where id = ${far.webhookId}`
    const near = await web.api()
    const deleted = Promise.withResolvers<void>()
    const found = Promise.withResolvers<void>()
    const agent = createSafeAgent({
      permit: () => true,
      resolve: async () => {
        await deleted.promise
        await sleep(1_000)
        found.resolve()
        return ['127.0.0.1']
      },
    })
    web.loop({ agent })
    await web.publish(1)
    const claimed = async () => (await web.db`select 1 from deliveries where leased_until is not null`).length === 1
    assert.ok(await soon(claimed, PATIENCE_MS))
    assert.equal((await near.delete(`/webhooks/facility/${far.webhookId}`)).status, 204)
    deleted.resolve()
    await found.promise
    await landed(web.db, far.webhookId)
    await sleep(1_000)
    assert.equal(far.arrivals.length, 0)
    // And what nobody changed is sent, however long it took.
    const patient = await web.subscriber()
    const address = new URL(patient.url)
    await web.db`
      update webhooks set url = ${`http://far.example:${address.port}${address.pathname}`} where id = ${patient.webhookId}`
    await web.publish(1)
    await statesBecome(web.db, patient.webhookId, { delivered: 1 })
    assert.equal(patient.arrivals.length, 1)
  } finally {
    await web.stop()
  }
})
