import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { resumeSending } from '../../src/domain/deliveries/hold-store.ts'
import { extendLeases, markSent, postponeClaim, releaseClaims } from '../../src/domain/deliveries/lease-store.ts'
import { resendDelivery } from '../../src/domain/deliveries/resend-store.ts'
import type { DbOrTransaction } from '../../src/platform/db.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { FAILURE, startClaimingScene } from '../harness/claiming-scene.ts'
import { endLeases, scheduleOf } from '../harness/sending-rows.ts'
import { soon } from '../harness/soon.ts'

const scene = await startClaimingScene()
after(scene.stop)
const { db } = scene
afterEach(() => db`delete from deliveries`)

const AUDIENCES = { production: 'urn:handover:api:production', sandbox: 'urn:handover:api:sandbox' }

async function updatesOf(table: string): Promise<{ all: number; inNoIndex: number }> {
  const [row] = await db<[{ all: number; hot: number }]>`
    select pg_stat_get_tuples_updated(oid)::int as all, pg_stat_get_tuples_hot_updated(oid)::int as hot
    from pg_class where oid = ${table}::regclass`
  return { all: row.all, inNoIndex: row.hot }
}

/** Who reads for long, as `analyze` does: while there is somebody, no room is made in a page by tidying up what was before. */
async function whileSomebodyReads(work: () => Promise<void>): Promise<void> {
  const reading = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const reader = scene.pool(1).begin('isolation level repeatable read', async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`select count(*) from deliveries`
    reading.resolve()
    await done.promise
  })
  await Promise.race([reading.promise, reader])
  await work().finally(() => done.resolve())
  await reader
}

async function assertInNoIndex(updates: number, work: () => Promise<void>): Promise<void> {
  const before = await updatesOf('deliveries')
  await work()
  const written = async () => (await updatesOf('deliveries')).all - before.all === updates
  assert.ok(await soon(written, 10_000), JSON.stringify(await updatesOf('deliveries')))
  assert.equal((await updatesOf('deliveries')).inNoIndex - before.inNoIndex, updates)
}

test('to claim, to say what has left, to keep and to give back a lease writes into no index of the queue', () =>
  whileSomebodyReads(() =>
    assertInNoIndex(20, async () => {
      await scene.accept(await scene.webhook(), 5)
      const claims = await scene.claimSoon(2_000)
      assert.equal(claims.length, 5)
      await markSent(db, claims)
      await extendLeases(db, claims)
      await releaseClaims(db, claims)
    }),
  ))

test('a page of the queue has room for a claim of everything in it', () =>
  whileSomebodyReads(() =>
    assertInNoIndex(100, async () => {
      await scene.accept(await scene.webhook({ atOnce: 100 }), 100)
      for (let claimed = 0; claimed < 100; ) claimed += (await scene.claimSoon(2_000)).length
    }),
  ))

test('what stands in front of what is in flight hides none of it: there are never more at once than allowed', async () => {
  const webhook = await scene.webhook({ atOnce: 10 })
  await scene.accept(webhook, 40)
  const finished = await scene.claimSoon(2_000)
  assert.equal(finished.length, 10)
  await scene.settle(finished)
  const inFlight = await scene.claimSoon(2_000)
  assert.equal(inFlight.length, 10)
  for (const { id } of finished)
    assert.equal(
      (await transaction(db, (tx) => resendDelivery(tx, AUDIENCES, webhook.id, id))).outcome,
      'queued',
      'by hand, in front of everything',
    )
  assert.deepEqual((await scene.claim()).claims, [])
  const [first, second] = inFlight
  assert.ok(first && second)
  await scene.settle([first, second])
  const next = await scene.claimSoon(2_000)
  assert.deepEqual(
    next.map(({ id }) => id).toSorted(),
    finished
      .slice(8)
      .map(({ id }) => id)
      .toSorted(),
    'the last two that were asked for by hand stand first',
  )
})

test('a batch is claimed in the order of its events, and each of its deliveries has a moment of its own', async () => {
  const webhook = await scene.webhook({ atOnce: 100 })
  const events = await scene.accept(webhook, 60)
  const [moments] = await db<[{ count: number }]>`
    select count(distinct due_at)::int as count from deliveries where webhook_id = ${webhook.id}`
  assert.equal(moments.count, 60)
  const claimed: string[] = []
  while (claimed.length < 60) claimed.push(...(await scene.claimSoon(2_000)).map(({ eventId }) => eventId).toSorted())
  // Ids of events sort as they were made; within a claim the order is not told.
  assert.deepEqual(claimed, events)
})

test('a webhook that only waits for answers is looked at again when the first lease ends', async () => {
  const webhook = await scene.webhook()
  await scene.accept(webhook, 2)
  const claims = await scene.claimSoon(2_000)
  assert.equal(claims.length, 2)
  await db`update webhook_schedules set due_at = now() where webhook_id = ${webhook.id}`
  assert.deepEqual((await scene.claim()).claims, [], 'both are in flight')
  const { due_in } = await scheduleOf(db, webhook.id)
  assert.ok(due_in > 10 && due_in <= 20, `${due_in}`)
  await endLeases(db)
  assert.equal((await scene.claimSoon(2_000)).length, 2)
})

test('one that failed is due later, and does not count as in flight meanwhile', async () => {
  const webhook = await scene.webhook({ atOnce: 2 })
  await scene.accept(webhook, 4)
  const [failing, slow] = await scene.claimSoon(2_000)
  assert.ok(failing && slow)
  await scene.settle([failing], FAILURE)
  await db`update webhook_schedules set due_at = now() where webhook_id = ${webhook.id}`
  const next = await scene.claimSoon(2_000)
  assert.equal(next.length, 1, 'there is room for one beside the slow one')
  assert.ok(next.every(({ id }) => id !== failing.id && id !== slow.id))
})

test('a lease that was given up for lost, and is kept alive after all, is waited for', async () => {
  const webhook = await scene.webhook()
  await scene.accept(webhook)
  const claims = await scene.claimSoon(2_000)
  await endLeases(db)
  // Its worker is frozen; meanwhile the webhook is enabled anew, and the delivery that was kept is asked for by hand.
  await transaction(db, (tx) => resumeSending(tx, webhook.id, 'keep'))
  const resend = (tx: DbOrTransaction) => resendDelivery(tx, AUDIENCES, webhook.id, claims[0]?.id ?? '')
  assert.equal((await transaction(db, resend)).outcome, 'queued')
  await extendLeases(db, claims)
  assert.deepEqual((await scene.claim()).claims, [], 'somebody sends it')
  const { due_in } = await scheduleOf(db, webhook.id)
  assert.ok(due_in > 10 && due_in <= 20, `${due_in}`)
})

test('what is being sent while a webhook is enabled anew still counts among what may be sent at once', async () => {
  const webhook = await scene.webhook({ atOnce: 3 })
  await scene.accept(webhook, 3)
  assert.equal((await scene.claimSoon(2_000)).length, 3)
  await transaction(db, (tx) => resumeSending(tx, webhook.id, 'keep'))
  await scene.accept(webhook, 3)
  assert.deepEqual((await scene.claim()).claims, [])
})

test('after a clock that was ahead, what is counted comes back to what is in flight', async () => {
  const webhook = await scene.webhook({ atOnce: 2 })
  await scene.accept(webhook, 5)
  await db`update webhook_schedules set leased_through = now() + interval '1 hour' where webhook_id = ${webhook.id}`
  const claims = await scene.claimSoon(2_000)
  assert.equal(claims.length, 2)
  const [row] = await db<[{ beyond: number }]>`
    select count(*)::int as beyond from deliveries join webhook_schedules using (webhook_id)
    where webhook_id = ${webhook.id} and deliveries.due_at > leased_through`
  assert.equal(row.beyond, 3)
})

test('what cannot be sent by a fault of ours lets the others go first, and comes again when its lease would have ended', async () => {
  const webhook = await scene.webhook({ atOnce: 1 })
  await scene.accept(webhook, 2)
  const [stuck] = await scene.claimSoon(2_000)
  assert.ok(stuck)
  await postponeClaim(db, stuck)
  const [next] = await scene.claimSoon(2_000)
  assert.ok(next)
  assert.notEqual(next.id, stuck.id)
  await scene.settle([next])
  const [row] = await db<[{ seconds: number; attempts: number }]>`
    select extract(epoch from due_at - now())::float8 as seconds, attempts from deliveries where id = ${stuck.id}`
  assert.ok(row.seconds > 10 && row.seconds <= 20, `${row.seconds}`)
  assert.equal(row.attempts, 0)
})
