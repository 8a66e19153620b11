import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MOST_OF_AN_HOUR, readHealth } from '../../src/domain/deliveries/webhook-health-store.ts'
import { standingsOf } from '../../src/domain/deliveries/webhook-standing-store.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { makeDay, queueRows } from '../harness/queue-rows.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(scene.stop)
const { db, browser } = scene

const textOf = async (id: string) => (await browser.get(scene.page(`/${id}`))).text

test('200: a webhook that was never called has no figures, and says what to do', async () => {
  const text = await textOf(await scene.webhook())
  assert.match(text, /no attempts/)
  assert.match(text, /Send a test event/)
  assert.doesNotMatch(text, /<svg/)
})

test('200: success by attempts, answer times, and a bar for each hour, as a drawing and as a table', async () => {
  const id = await scene.webhook()
  await finishedRows(db, 98, { webhookId: id, durationMs: 100 })
  await finishedRows(db, 1, { webhookId: id, durationMs: 900, hoursAgo: 2 })
  await finishedRows(db, 1, { webhookId: id, state: 'failed', because: 'attempts_used_up', attempts: 10, hoursAgo: 5 })
  await finishedRows(db, 7, { webhookId: id, hoursAgo: 25 })
  const health = await readHealth(db, id, new Date())
  assert.equal(health.hours.length, 24)
  const sum = (name: 'succeeded' | 'failed') => health.hours.reduce((all, hour) => all + hour[name], 0)
  assert.deepEqual([sum('succeeded'), sum('failed')], [99, 10], 'what is older than the window is not in it')
  assert.equal(health.latency?.p50, 100)
  const text = await textOf(id)
  assert.match(text, /90\.8 %/)
  assert.match(text, /99 of 109 attempts/)
  assert.equal([...text.matchAll(/<rect class="(?:good|bad)"/g)].length, 3)
  assert.match(text, /<td role="cell" data-label="Failed"><div>10<\/div>/)
})

test('200: what waits and what is held, when the next attempt is, and an open circuit', async () => {
  const id = await scene.webhook()
  await queueRows(db, 3, { webhookId: id, dueInSeconds: 7_200, attempts: 1 })
  await queueRows(db, 2, { webhookId: id, state: 'held' })
  const health = await readHealth(db, id, new Date())
  assert.deepEqual(health.waiting, { pending: 3, held: 2 })
  assert.ok(health.nextDueAt !== null && health.nextDueAt.getTime() > Date.now() + 3_600_000)
  // In the hour they were made in, which may be over by now.
  const failed = health.hours.slice(-2).reduce((all, hour) => all + hour.failed, 0)
  assert.equal(failed, 3, 'an attempt of what still waits has failed')
  await db`
    update webhook_schedules set consecutive_failures = 10, failing_since = now() - interval '1 hour',
      probe_at = now() + interval '3 hours', due_at = 'infinity'
    where webhook_id = ${id}`
  const text = await textOf(id)
  assert.match(text, /circuit open/)
  assert.match(text, /next probe/)
  assert.match(text, /Every attempt since/)
  await db`update webhooks set disabled_because = 'gone' where id = ${id}`
  const disabled = await textOf(id)
  assert.match(disabled, /410 Gone/)
  assert.match(disabled, /<dt>Held<\/dt><dd><strong>5</, 'what waits for a disabled webhook is held')
})

test('an hour with very many is counted up to a limit, and says so', async () => {
  const id = await scene.webhook()
  await finishedRows(db, MOST_OF_AN_HOUR + 200, { webhookId: id })
  const { hours } = await readHealth(db, id, new Date())
  const last = hours.findLast(({ succeeded }) => succeeded > 0)
  assert.deepEqual([last?.succeeded, last?.more], [MOST_OF_AN_HOUR, true])
  assert.match(await textOf(id), /deliveries are counted/)
})

test('a rate is never rounded to all or nothing, and every webhook has its own', async () => {
  const [one, other] = [await scene.webhook(), await scene.webhook()]
  await finishedRows(db, 400, { webhookId: one })
  await finishedRows(db, 1, { webhookId: one, state: 'failed', because: 'expired' })
  const standings = await standingsOf(db, [one, other])
  assert.deepEqual([standings.get(one)?.delivered, standings.get(one)?.failed], [400, 1])
  assert.deepEqual([standings.get(other)?.delivered, standings.get(other)?.failed], [0, 0])
  const { text } = await browser.get(scene.page())
  assert.match(text, /99\.8 %/)
  assert.match(text, /nothing sent/)
})

test('200: what was tried and still waits is not called unsent in the list', async () => {
  const [never, failing, mixed] = [await scene.webhook(), await scene.webhook(), await scene.webhook()]
  await queueRows(db, 2, { webhookId: never })
  await queueRows(db, 3, { webhookId: failing, attempts: 4 })
  await makeDay(db, 2)
  await queueRows(db, 1, { webhookId: failing, attempts: 4, daysAgo: 2 })
  await queueRows(db, 1, { webhookId: failing, attempts: 4, state: 'held' })
  await queueRows(db, 1, { webhookId: failing, attempts: 4, manual: true })
  await queueRows(db, 2, { webhookId: mixed, attempts: 1 })
  await finishedRows(db, 5, { webhookId: mixed })
  const standings = await standingsOf(db, [never, failing, mixed])
  assert.deepEqual(
    [never, failing, mixed].map((id) => standings.get(id)?.unfinished),
    [0, 3, 2],
  )
  const { text } = await browser.get(scene.page())
  const rowOf = (id: string) => text.slice(text.indexOf(`/${id}"`)).split('</tr>')[0] ?? ''
  assert.match(rowOf(never), /nothing sent/)
  assert.match(rowOf(failing), /none of 3 yet/)
  assert.match(rowOf(mixed), /100 %.*of 5.*and 2 not yet/)
})
