import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { measureQueue } from '../../src/app/delivery-tasks.ts'
import { readQueueFigures } from '../../src/domain/deliveries/queue-figures-store.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { ask } from '../harness/answer.ts'
import { webhookIn } from '../harness/api-client.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { queueRows } from '../harness/queue-rows.ts'
import { startFarm } from '../harness/receiver-farm.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

describe('how the queue fares', async () => {
  const database = await createTestDatabase()
  after(database.drop)
  const { db } = database
  await db`
    insert into applications (id, name, type, token_endpoint_authentication)
    values ('app_x', 'X', 'machine', 'either'), ('app_off', 'Off', 'machine', 'either')`
  await db`update applications set suspended_at = now() where id = 'app_off'`

  beforeEach(async () => {
    await db`truncate deliveries, webhooks, departed_webhooks cascade`
  })

  type Schedule = { dueSecondsAgo?: number; failures?: number; notBeforeIn?: number | null; app?: string }

  async function webhook(id: string, schedule: Schedule = {}): Promise<void> {
    const { dueSecondsAgo = 5, failures = 0, notBeforeIn = null, app = 'app_x' } = schedule
    await db`
      insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
      values (${id}, 'user', 'sandbox', ${app}, 'https://x.example', '{all}', '')`
    await db`
      insert into webhook_schedules (webhook_id, due_at, consecutive_failures, failing_since, failures, not_before)
      values (${id}, now() - make_interval(secs => ${dueSecondsAgo}), ${failures},
        case when ${failures}::int > 0 then now() end, ${failures}, now() + make_interval(secs => ${notBeforeIn}))`
  }

  test('nothing waits: zeros', async () => {
    assert.deepEqual(await readQueueFigures(db), {
      oldestDueSeconds: 0,
      pending: 0,
      held: 0,
      inFlight: 0,
      openCircuits: 0,
      failingWebhooks: 0,
    })
  })

  test('what is pending, held and under way is counted apart', async () => {
    await webhook('whk_x')
    await db`update webhook_schedules set leased_through = now() - interval '1 second'`
    await queueRows(db, 30)
    await queueRows(db, 7, { state: 'held' })
    await queueRows(db, 4, { leasedForSeconds: 10, dueInSeconds: -2 })
    await queueRows(db, 2, { leasedForSeconds: -1, dueInSeconds: -2 })
    const { pending, held, inFlight } = await readQueueFigures(db)
    assert.deepEqual({ pending, held, inFlight }, { pending: 32, held: 7, inFlight: 4 })
  })

  test('the oldest delivery that a worker should have taken by now', async () => {
    await webhook('whk_a', { dueSecondsAgo: 3 })
    await webhook('whk_b', { dueSecondsAgo: 2, failures: 9 })
    const began = performance.now()
    await queueRows(db, 2, { webhookId: 'whk_a', dueInSeconds: -10 })
    await queueRows(db, 1, { webhookId: 'whk_b', dueInSeconds: -40 })
    const { oldestDueSeconds } = await readQueueFigures(db)
    const most = 40.1 + (performance.now() - began) / 1_000
    assert.ok(oldestDueSeconds >= 40 && oldestDueSeconds < most, String(oldestDueSeconds))
  })

  const heldBack: Array<[string, Schedule]> = [
    ['an open circuit', { failures: 10 }],
    ['a rate limit, a full set of requests or a retry to come', { dueSecondsAgo: -60 }],
    ['a Retry-After', { notBeforeIn: 30 }],
    ['a suspended application', { app: 'app_off' }],
  ]
  for (const [what, schedule] of heldBack) {
    test(`what ${what} holds back is not late`, async () => {
      await webhook('whk_a', schedule)
      await queueRows(db, 1, { webhookId: 'whk_a', dueInSeconds: -600 })
      assert.equal((await readQueueFigures(db)).oldestDueSeconds, 0)
    })
  }

  test('what waits for a disabled webhook is not late', async () => {
    await webhook('whk_a')
    await queueRows(db, 1, { webhookId: 'whk_a', dueInSeconds: -600 })
    assert.ok((await readQueueFigures(db)).oldestDueSeconds > 599)
    await db`update webhooks set disabled_because = 'by_request'`
    assert.equal((await readQueueFigures(db)).oldestDueSeconds, 0)
  })

  test('open circuits and failing webhooks', async () => {
    for (const failures of [0, 1, 9, 10, 200]) await webhook(`whk_${failures}`, { failures })
    const { openCircuits, failingWebhooks } = await readQueueFigures(db)
    assert.deepEqual({ openCircuits, failingWebhooks }, { openCircuits: 2, failingWebhooks: 4 })
  })

  test('a long queue is estimated', async () => {
    await queueRows(db, 11_000)
    await queueRows(db, 1_000, { state: 'held' })
    const { pending, held } = await readQueueFigures(db)
    assert.ok(pending >= 10_000 && pending < 20_000, String(pending))
    assert.ok(held < 3_000, String(held))
  })
})

describe('what attempts come to', async () => {
  const scene = await startApiScene()
  const { db, service } = scene
  const farm = await startFarm()
  after(async () => {
    await farm.close()
    await service.stop()
  })
  const receiver = service.demo['RECEIVER_URL'] ?? ''
  const application = await scene.integrator()
  await scene.facility('production', application)
  const api = await scene.appApi(application)

  const webhookTo = async (url: string) =>
    webhookIn(await api.post('/webhooks/facility', { url, events: ['all'], facilities: [], secrets: [] }), 201).id

  async function send(webhookId: string): Promise<void> {
    assert.equal((await api.post(`/webhooks/facility/${webhookId}/test`, {})).status, 202)
  }

  const metrics = async () => (await ask(`http://127.0.0.1:${service.metricsPort}/metrics`)).text

  async function value(series: string): Promise<number> {
    const line = (await metrics()).split('\n').find((each) => each.startsWith(`${series} `))
    return Number(line?.slice(series.length) ?? 0)
  }

  const attempts = (outcome: string, error: string) =>
    value(`handover_delivery_attempts_total{outcome="${outcome}",error="${error}"}`)

  async function comesTo(outcome: string, error: string, act: () => Promise<void>): Promise<void> {
    const before = await attempts(outcome, error)
    await act()
    const counted = async () => (await attempts(outcome, error)) === before + 1
    assert.ok(await soon(counted, PATIENCE_MS), `${outcome} ${error}`)
  }

  test('delivered at once: the time from the event to its receipt is measured', async () => {
    await comesTo('delivered', 'none', async () => send(await webhookTo(`${receiver}/a-secret-path`)))
    assert.equal(await value('handover_delivery_publish_to_receipt_seconds_count'), 1)
    const seconds = await value('handover_delivery_publish_to_receipt_seconds_sum')
    assert.ok(seconds > 0 && seconds < 20, String(seconds))
    assert.equal(await value('handover_delivery_attempt_seconds_count{outcome="delivered"}'), 1)
  })

  test('another status, and a receiver that is not there, are to be tried again', async () => {
    const refused = await webhookTo(`${receiver}/status/503`)
    await comesTo('retry', 'status', () => send(refused))
    // Its next attempt, in five seconds, would count in the tests that follow.
    assert.equal((await api.delete(`/webhooks/facility/${refused}`)).status, 204)
    await comesTo('retry', 'connect', async () => send(await webhookTo('http://localhost:1/')))
  })

  test('a delivery that succeeds later says nothing about the time from event to receipt', async () => {
    const id = await webhookTo(`${receiver}/status/500`)
    await comesTo('retry', 'status', () => send(id))
    const before = await value('handover_delivery_publish_to_receipt_seconds_count')
    await db`update webhooks set url = ${`${receiver}/well`} where id = ${id}`
    await comesTo('delivered', 'none', async () => {
      await db`update deliveries set due_at = now() where webhook_id = ${id}`
      await db`update webhook_schedules set due_at = now() where webhook_id = ${id}`
    })
    assert.equal(await value('handover_delivery_publish_to_receipt_seconds_count'), before)
  })

  test('the last of ten attempts fails for good', async () => {
    const id = await webhookTo(`${receiver}/status/500`)
    await comesTo('retry', 'status', () => send(id))
    await comesTo('failed', 'status', async () => {
      await db`update deliveries set due_at = now(), tries = 9 where webhook_id = ${id}`
      await db`update webhook_schedules set due_at = now() where webhook_id = ${id}`
    })
  })

  test('who lost the lease has made an attempt that does not count', async () => {
    const lost = Promise.withResolvers<void>()
    const { url } = farm.post({ reply: (response) => void lost.promise.then(() => response.writeHead(200).end()) })
    const id = await webhookTo(url)
    await comesTo('not_counted', 'none', async () => {
      await send(id)
      const taken = async () =>
        (await db`update deliveries set fence = fence + 1 where webhook_id = ${id} and leased_until is not null`)
          .count === 1
      assert.ok(await soon(taken, PATIENCE_MS))
      lost.resolve()
    })
  })

  test('one line in the log for each attempt, without the path of the URL', async () => {
    const lines = service.logged.filter((line) => line.includes('"msg":"attempt"'))
    assert.ok(lines.length >= 6)
    for (const line of lines) assert.doesNotMatch(line, /secret-path|status\/|localhost/)
  })

  test('the gauges are those of the database', async () => {
    await queueRows(db, 3, { webhookId: 'whk_nobody', state: 'held' })
    // The worker measures, too, and may have read before these were there and write after us.
    const measured = async () => {
      await measureQueue(service.deps)
      return (await value('handover_deliveries{state="held"}')) === 3
    }
    assert.ok(await soon(measured, PATIENCE_MS))
    assert.ok((await value('handover_failing_webhooks')) >= 2)
    const names = [
      'handover_delivery_oldest_due_seconds',
      'handover_open_circuits',
      'handover_deliveries{state="pending"}',
    ]
    const text = await metrics()
    for (const name of names) assert.ok(text.includes(`\n${name} `), name)
  })

  test('while the database is away there is no gauge: an old number would pass for a queue that is well', async () => {
    const deps = { ...service.deps, metrics: createMetrics() }
    const gauges = /^handover_(?:delivery_oldest_due_seconds|deliveries|open_circuits|failing_webhooks)[{ ]/gm
    await measureQueue(deps)
    assert.equal((await deps.metrics.read()).match(gauges)?.length, 6)
    const away = openDatabase({ url: 'postgres://127.0.0.1:1/away' }, { prepare: true, poolSize: 1 })
    await assert.rejects(measureQueue({ ...deps, db: away }))
    assert.equal((await deps.metrics.read()).match(gauges), null)
    await away.end({ timeout: 0 })
  })
})
