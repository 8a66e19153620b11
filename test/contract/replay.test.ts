import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetOldReplays } from '../../src/domain/deliveries/replay-store.ts'
import type { Answer } from '../harness/answer.ts'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import {
  answered,
  arrivalsBecome,
  attemptsOf,
  deliveriesOf,
  type Hook,
  only,
  type ShownDelivery,
  startDeliveryScene,
  statesBecome,
} from '../harness/delivery-scene.ts'
import { answers, never } from '../harness/receiver-farm.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

type ShownReplay = {
  id: string
  from: string
  to: string
  states: string[]
  state: string
  total: number
  queued: number
  createdAt: string
  finishedAt: string | null
}

const scene = await startDeliveryScene()
after(scene.stop)
const { db } = scene
const application = await scene.integrator({ apiRatePerSecond: 500, apiRateBurst: 1_000 })
const facility = await scene.facility('production', application)
const api = await scene.appApi(application)
const EVER = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

const replay = ({ path }: Hook, body: object, headers = {}) => api.post(`${path}/replay`, body, headers)
const replayIn = (answer: Answer, status = 200): ShownReplay => {
  const { data }: { data: ShownReplay } = JSON.parse(answered(answer, status))
  return data
}
const replaysOf = async ({ path }: Hook, query = ''): Promise<ShownReplay[]> => {
  const { data }: { data: ShownReplay[] } = JSON.parse(answered(await api.get(`${path}/replays${query}`)))
  return data
}
const read = async ({ path }: Hook, id: string) => replayIn(await api.get(`${path}/replays/${id}`))
const becomes = async (hook: Hook, id: string, state: string, queued: number): Promise<ShownReplay> => {
  let last: ShownReplay | undefined
  const isSo = async () => {
    last = await read(hook, id)
    return last.state === state && last.queued === queued
  }
  assert.ok(await soon(isSo, PATIENCE_MS), JSON.stringify(last))
  assert.ok(last)
  return last
}

/** A webhook with so many deliveries that failed. */
const failing = async (count: number): Promise<{ hook: Hook; failed: ShownDelivery[] }> => {
  const hook = await scene.hook(api, { facilities: [facility] })
  hook.reply = answers(500)
  await scene.happen('production', facility, count)
  await scene.lastAttempt(hook.id)
  const failed = await statesBecome(api, hook, Array(count).fill('failed'))
  await db`
    update webhook_schedules set consecutive_failures = 0, failures = 0, failing_since = null where webhook_id = ${hook.id}`
  return { hook, failed }
}

test('200 with dryRun: how many there are, and nothing is sent', async () => {
  const { hook, failed } = await failing(3)
  const count = async (body: object): Promise<unknown> =>
    JSON.parse(answered(await replay(hook, { ...EVER, dryRun: true, ...body }))).data
  assert.deepEqual(await count({}), { count: 3 })
  assert.deepEqual(await count({ states: ['failed', 'delivered'] }), { count: 3 })
  assert.deepEqual(await count({ states: ['delivered', 'cancelled', 'held'] }), { count: 0 })
  assert.deepEqual(await count({ to: failed[0]?.createdAt }), { count: 0 })
  assert.deepEqual(await count({ from: failed[0]?.createdAt }), { count: 3 })
  assert.deepEqual(await replaysOf(hook), [])
  assert.equal((await deliveriesOf(api, hook, '?state=failed')).length, 3)
})

test('202 for what failed: it is sent again under its own ids, attempts count on, and the replay tells how far it is', async () => {
  const hook = await scene.hook(api, { facilities: [facility] })
  await scene.happen('production', facility)
  await statesBecome(api, hook, ['delivered'])
  hook.reply = answers(500)
  await scene.happen('production', facility, 3)
  await scene.lastAttempt(hook.id)
  const before = await statesBecome(api, hook, ['failed', 'failed', 'failed', 'delivered'])
  hook.reply = answers(200)

  const answer = await replay(hook, EVER)
  const begun = replayIn(answer, 202)
  assert.match(begun.id, /^rpl_[0-9a-f]{32}$/)
  assert.equal(answer.headers.get('location'), `/api/v2/public${hook.path}/replays/${begun.id}`)
  assert.deepEqual([begun.state, begun.total, begun.queued, begun.finishedAt], ['running', 3, 0, null])
  assert.deepEqual(begun.states, ['failed'])
  assert.ok(Date.parse(begun.to) <= Date.now() + 60_000, 'what is yet to happen is no part of it')

  const done = await becomes(hook, begun.id, 'done', 3)
  assert.ok(done.finishedAt !== null && done.finishedAt >= done.createdAt)
  const now = await statesBecome(api, hook, Array(4).fill('delivered'))
  assert.deepEqual(
    now.map(({ id, createdAt }) => [id, createdAt]),
    before.map(({ id, createdAt }) => [id, createdAt]),
  )
  for (const { id, attempts } of now.slice(0, 3)) {
    assert.equal(attempts, 3)
    assert.deepEqual(
      (await attemptsOf(api, hook, id)).map(({ number, status }) => [number, status]),
      [
        [3, 200],
        [2, 500],
        [1, 500],
      ],
    )
  }
  await arrivalsBecome(hook, 1 + 3 * 3)
  assert.deepEqual(await replaysOf(hook), [done])
})

test('a replayed delivery that fails again has all of its retries again', async () => {
  const { hook, failed } = await failing(1)
  const { id } = replayIn(await replay(hook, EVER), 202)
  await becomes(hook, id, 'done', 1)
  const again = async () => only(await deliveriesOf(api, hook)).attempts === 3
  assert.ok(await soon(again, PATIENCE_MS))
  const { state, nextAttemptAt } = only(await deliveriesOf(api, hook))
  assert.deepEqual([state, typeof nextAttemptAt], ['pending', 'string'])
  const [row] = await db`select tries from deliveries where id = ${only(failed).id}`
  assert.equal(row?.['tries'], 1)
})

test('202 for kept ones, and for a part of time', async () => {
  const hook = await scene.hook(api, { facilities: [facility] })
  await api.post(`${hook.path}/disable`)
  await scene.happen('production', facility)
  await scene.happen('production', facility)
  await api.post(`${hook.path}/enable`, { held: 'keep' })
  const [late] = await statesBecome(api, hook, ['held', 'held'])
  assert.ok(late)
  const { id } = replayIn(await replay(hook, { ...EVER, from: late.createdAt, states: ['held'] }), 202)
  await becomes(hook, id, 'done', 1)
  await statesBecome(api, hook, ['delivered', 'held'])
  await arrivalsBecome(hook, 1)
  assert.equal(hook.arrivals[0]?.id, late.eventId)
})

test('it takes up no more than twice a second’s worth before that was sent; cancelled, it takes up nothing more', async () => {
  const { hook, failed } = await failing(8)
  hook.reply = never
  await db`update webhook_schedules set per_second = 2, at_once = 1 where webhook_id = ${hook.id}`
  const { id } = replayIn(await replay(hook, EVER), 202)
  await becomes(hook, id, 'running', 4)
  // Two more turns of the worker.
  await sleep(2_100)
  assert.equal((await read(hook, id)).queued, 4)
  assertProblem(await replay(hook, EVER), 409, 'replay_running')

  const cancelled = replayIn(await api.post(`${hook.path}/replays/${id}/cancel`))
  assert.deepEqual([cancelled.state, cancelled.queued], ['cancelled', 4])
  assert.ok(cancelled.finishedAt !== null)
  assert.deepEqual(replayIn(await api.post(`${hook.path}/replays/${id}/cancel`)), cancelled, 'twice is once')
  const states = (await deliveriesOf(api, hook)).map(({ state }) => state).toSorted()
  assert.deepEqual(states, [...Array(4).fill('failed'), ...Array(4).fill('pending')])
  // The oldest come first.
  const oldest = failed.slice(4).map((each) => each.id)
  assert.deepEqual(
    (await deliveriesOf(api, hook, '?state=pending')).map((each) => each.id),
    oldest,
  )
  const next = replayIn(await replay(hook, EVER), 202)
  assert.equal(next.total, 4)
  const list = await replaysOf(hook, '?limit=1')
  assert.equal(only(list).id, next.id, 'newest first')
})

test('409 replay_done for cancelling what is done; 409 webhook_disabled for a webhook that gets nothing', async () => {
  const hook = await scene.hook(api, { facilities: [facility] })
  const { id } = replayIn(await replay(hook, EVER), 202)
  await becomes(hook, id, 'done', 0)
  assertProblem(await api.post(`${hook.path}/replays/${id}/cancel`), 409, 'replay_done')
  await api.post(`${hook.path}/disable`)
  assertProblem(await replay(hook, EVER), 409, 'webhook_disabled')
  assert.equal(answered(await replay(hook, { ...EVER, dryRun: true })), '{"data":{"count":0}}')
})

test('202 once for one Idempotency-Key', async () => {
  const { hook } = await failing(1)
  const key = { 'idempotency-key': 'replay' }
  const first = await replay(hook, EVER, key)
  assert.equal(first.status, 202)
  assert.equal((await replay(hook, EVER, key)).text, first.text)
  assert.equal((await replaysOf(hook)).length, 1)
})

test('422 for fields that are wrong, all of them at once', async () => {
  const hook = await scene.hook(api, { facilities: [facility] })
  assertFaults(await replay(hook, {}), '/from required', '/to required')
  assertFaults(await replay(hook, { from: EVER.to, to: EVER.from }), '/to out_of_range')
  assertFaults(await replay(hook, { from: EVER.to, to: EVER.to }), '/to out_of_range')
  assertFaults(await replay(hook, { ...EVER, from: '2026-11-15T08:00:00' }), '/from malformed')
  assertFaults(
    await replay(hook, { from: 1, to: 'x', states: ['pending', 'failed', 'failed'], dryRun: 'yes', state: 'failed' }),
    '/from wrong_type',
    '/to malformed',
    '/states/0 unknown_value',
    '/states/2 duplicate',
    '/dryRun wrong_type',
    '/state unknown_field',
  )
  assertFaults(await replay(hook, { ...EVER, states: [] }), '/states too_few')
})

test('404 for whoever may not see the webhook, and for replays that it does not have', async () => {
  const [hook, other] = [await scene.hook(api, { facilities: [facility] }), await scene.hook(api)]
  const { id } = replayIn(await replay(hook, EVER), 202)
  const stranger = await scene.appApi(await scene.integrator())
  for (const path of [`${other.path}/replays/${id}`, `${hook.path}/replays/rpl_x`, `${hook.path}/replays/${id}x`]) {
    assertProblem(await api.get(path), 404, 'not_found')
    assertProblem(await api.post(`${path}/cancel`), 404, 'not_found')
  }
  assertProblem(await stranger.get(`${hook.path}/replays/${id}`), 404, 'not_found')
  assertProblem(await stranger.get(`${hook.path}/replays`), 404, 'not_found')
  assertProblem(await stranger.post(`${hook.path}/replay`, EVER), 404, 'not_found')
})

test('a replay that ended longer ago than deliveries are kept is forgotten, a younger one is not', async () => {
  const { hook } = await failing(1)
  hook.reply = answers(200)
  const old = replayIn(await replay(hook, { ...EVER, states: ['failed'] }), 202)
  await becomes(hook, old.id, 'done', 1)
  const young = replayIn(await replay(hook, { ...EVER, states: ['failed'] }), 202)
  await becomes(hook, young.id, 'done', 0)
  await db`update replays set finished_at = now() - interval '31 days' where id = ${old.id}`
  await forgetOldReplays(db)
  assert.deepEqual(
    (await replaysOf(hook)).map(({ id }) => id),
    [young.id],
  )
})
