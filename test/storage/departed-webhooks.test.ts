import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { cancelDeparted } from '../../src/domain/deliveries/departed-store.ts'
import { queueRows } from '../harness/queue-rows.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database

beforeEach(async () => {
  await db`truncate deliveries, event_ids, events, finished_deliveries, departed_webhooks`
})

async function depart(webhookId: string, secondsAgo = 0): Promise<void> {
  await db`
    insert into departed_webhooks (webhook_id, departed_at)
    values (${webhookId}, now() - make_interval(secs => ${secondsAgo}))`
}

async function counts(): Promise<{ waiting: number; cancelled: number; departed: number }> {
  const [row] = await db<[{ waiting: number; cancelled: number; departed: number }]>`
    select (select count(*)::int from deliveries) as waiting,
      (select count(*)::int from finished_deliveries
       where state = 'cancelled' and because = 'webhook_deleted') as cancelled,
      (select count(*)::int from departed_webhooks) as departed`
  return { ...row }
}

test('deleting a webhook remembers it, whoever deletes it', async () => {
  await db`insert into applications (id, name, type, token_endpoint_authentication) values ('app_x', 'X', 'machine', 'either')`
  await db`
    insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
    values ('whk_gone', 'user', 'sandbox', 'app_x', 'https://x.example', '{all}', '')`
  await db`delete from applications where id = 'app_x'`
  assert.equal((await counts()).departed, 1)
})

test('what waited for it is cancelled and says why, held or pending; what others wait for stays', async () => {
  const mine = await queueRows(db, 2, { webhookId: 'whk_gone', attempts: 2 })
  const held = await queueRows(db, 1, { webhookId: 'whk_gone', state: 'held' })
  await queueRows(db, 1, { webhookId: 'whk_here' })
  await depart('whk_gone', 61)
  assert.equal(await cancelDeparted(db), 3)
  assert.deepEqual(await counts(), { waiting: 1, cancelled: 3, departed: 0 })
  const rows = await db<Array<{ id: string; attempts: number }>>`select id, attempts from finished_deliveries`
  assert.deepEqual(rows.map(({ id }) => id).toSorted(), [...mine, ...held].toSorted())
  assert.equal(rows.find(({ id }) => id === mine[0])?.attempts, 2)
})

test('what is being sent is left to who sends it, until the lease is over', async () => {
  await queueRows(db, 1, { webhookId: 'whk_gone', leasedForSeconds: 10 })
  await depart('whk_gone', 61)
  assert.equal(await cancelDeparted(db), 0)
  assert.deepEqual(await counts(), { waiting: 1, cancelled: 0, departed: 1 })
  await db`update deliveries set leased_until = now() - interval '1 second'`
  assert.equal(await cancelDeparted(db), 1)
  assert.deepEqual(await counts(), { waiting: 0, cancelled: 1, departed: 0 })
})

test('an event that was being taken in at the time may still bring one: it is remembered for a minute', async () => {
  await depart('whk_gone', 50)
  assert.equal(await cancelDeparted(db), 0)
  assert.equal((await counts()).departed, 1)
  await queueRows(db, 1, { webhookId: 'whk_gone' })
  assert.equal(await cancelDeparted(db), 1)
  await db`update departed_webhooks set departed_at = departed_at - interval '1 minute'`
  await cancelDeparted(db)
  assert.equal((await counts()).departed, 0)
})

test('thousands, by several processes at once: each is cancelled once', async () => {
  await queueRows(db, 2_300, { webhookId: 'whk_gone' })
  await queueRows(db, 700, { webhookId: 'whk_gone_too' })
  await depart('whk_gone', 61)
  await depart('whk_gone_too', 61)
  const turns = await Promise.all(Array.from({ length: 4 }, () => cancelDeparted(db)))
  const last = await cancelDeparted(db)
  assert.equal(
    [...turns, last].reduce((sum, each) => sum + each, 0),
    3_000,
  )
  assert.deepEqual(await counts(), { waiting: 0, cancelled: 3_000, departed: 0 })
})

test('a resend by hand goes with the webhook and leaves the finished delivery as it was', async () => {
  const [id = ''] = await queueRows(db, 1, { webhookId: 'whk_gone', manual: true })
  await db`
    insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, because, attempts, created_at)
    select day, id, webhook_id, environment, event_id, event_type, directed, 'failed', 'attempts_used_up', 10, created_at
    from deliveries`
  await depart('whk_gone', 61)
  assert.equal(await cancelDeparted(db), 1)
  const [row] = await db`select state, because from finished_deliveries where id = ${id}`
  assert.deepEqual({ ...row }, { state: 'failed', because: 'attempts_used_up' })
})
