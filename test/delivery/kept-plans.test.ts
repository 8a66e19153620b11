import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { DeliveryFilter } from '../../src/domain/deliveries/delivery.ts'
import { listDeliveries } from '../../src/domain/deliveries/delivery-list-store.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { startClaimingScene } from '../harness/claiming-scene.ts'

const OTHERS = 3_000
/** What an event that reaches one webhook may cost, and a page of one delivery. */
const FEW = 50
const ALL: DeliveryFilter = { state: null, type: null, subjectId: null, eventId: null, from: null, to: null }

// One connection, whose plans and counts are then known.
const scene = await startClaimingScene()
const db = scene.pool(1)
after(scene.stop)
const webhook = await scene.webhook()

const publish = (count: number) => transaction(db, (tx) => scene.accept(webhook, count, tx))

async function listEverySort(): Promise<void> {
  const page = { before: null, limit: 20 }
  for (const filter of [ALL, { ...ALL, state: 'failed' as const }, { ...ALL, subjectId: webhook.facilityId }])
    await listDeliveries(db, webhook.id, filter, page)
}

/** Rows of webhooks, of what they are about and of what waits for them, by whichever plan. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await db`select pg_stat_force_next_flush()`
    const [row] = await db<Array<{ read: number }>>`
      select sum(seq_tup_read + idx_tup_fetch)::float8 as read from pg_stat_user_tables
      where relname in ('webhooks', 'webhook_facilities', 'webhook_schedules', 'facility_connections', 'deliveries')`
    return row?.read ?? 0
  }
  const start = await count()
  await work()
  return (await count()) - start
}

before(async () => {
  await db`vacuum analyze`
  // Often enough that PostgreSQL keeps its plans, which it makes for one webhook.
  for (let turn = 0; turn < 7; turn += 1) {
    await publish(1)
    await listEverySort()
  }
  const other = await scene.webhook()
  await db`
    with made as (
      insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
      select new_id('whk'), kind, environment, application_id, url, events, secrets_sealed
      from webhooks cross join generate_series(1, ${OTHERS}::int) where id = ${other.id}
      returning id
    ), listed as (
      insert into webhook_facilities (webhook_id, environment, facility_id, position)
      select id, 'sandbox', ${other.facilityId}, 1 from made
    )
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, due_at)
    select new_id('dlv'), id, 'sandbox', now()::date, 'evt_' || id, 'shift.created', now() + interval '1 hour' from made`
})

test('what an event and a page of deliveries read does not grow with the webhooks of others', async () => {
  const published = await rowsRead(() => publish(1))
  assert.ok(published < FEW, `to publish an event reads ${published} rows`)
  const listed = await rowsRead(listEverySort)
  assert.ok(listed < 6 * FEW, `to list deliveries reads ${listed} rows`)
})

test('one plan is kept for one event and for many, and for every page of deliveries', async () => {
  await publish(50)
  const planned = await db<Array<{ statement: string; custom: number; generic: number }>>`
    select statement, custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
    where statement ~ 'insert into deliveries|finished_deliveries as delivery' and statement !~ 'pg_prepared_statements|generate_series'`
  assert.equal(planned.length, 5, 'to publish, three lists, and the look at how far one may go')
  for (const { statement, custom, generic } of planned) {
    assert.equal(custom, 0, `planned anew: ${statement}`)
    assert.ok(generic > 0)
  }
})
