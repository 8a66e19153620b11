import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Claim } from '../../src/domain/deliveries/claim-store.ts'
import { extendLeases, markSent, releaseClaims } from '../../src/domain/deliveries/lease-store.ts'
import { FAILURE, SUCCESS, startClaimingScene } from '../harness/claiming-scene.ts'
import { attemptsOf, deliveriesOf, endLeases, scheduleOf } from '../harness/sending-rows.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startClaimingScene({ deadlock_timeout: '20ms' })
after(scene.stop)
const { db } = scene

async function claimed(count = 1): Promise<{ webhook: { id: string; facilityId: string }; claims: Claim[] }> {
  const webhook = await scene.webhook()
  await scene.accept(webhook, count)
  const claims = await scene.claimSoon(2_000)
  assert.equal(claims.length, count)
  return { webhook, claims }
}

async function someoneWaits(): Promise<void> {
  const isSo = async () => {
    const rows = await db`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return rows.length > 0
  }
  assert.ok(await soon(isSo, PATIENCE_MS), 'nobody waits')
}

test('who lost the lease settles nothing', async () => {
  const { webhook, claims } = await claimed()
  await endLeases(db)
  const again = await scene.claimSoon(2_000)
  assert.deepEqual(
    again.map(({ id }) => id),
    claims.map(({ id }) => id),
  )
  assert.notEqual(again[0]?.fence, claims[0]?.fence)
  for (const result of [SUCCESS, FAILURE]) assert.equal((await scene.settle(claims, result)).size, 0)
  assert.equal((await deliveriesOf(db, webhook.id))[0]?.attempts, 0)
  assert.equal((await scheduleOf(db, webhook.id)).consecutive_failures, 0)
  assert.equal((await scene.settle(again)).size, 1)
  assert.equal((await scene.settle(claims, FAILURE)).size, 0, 'nor when it is finished')
})

test('an attempt counts once, also when it is settled twice', async () => {
  const { webhook, claims } = await claimed()
  assert.equal((await scene.settle(claims, FAILURE)).size, 1)
  assert.equal((await scene.settle(claims, FAILURE)).size, 0, 'as after a commit whose answer got lost')
  const [delivery] = await deliveriesOf(db, webhook.id)
  assert.equal(delivery?.attempts, 1)
  assert.equal((await attemptsOf(db, webhook.id)).length, 1)
  assert.equal((await scheduleOf(db, webhook.id)).consecutive_failures, 1)
})

test('what was given back is nobody’s, and what comes of it later does not count', async () => {
  const { webhook, claims } = await claimed()
  await releaseClaims(db, claims)
  assert.equal((await scene.settle(claims, FAILURE)).size, 0)
  const [again] = await scene.claimSoon(2_000)
  assert.equal(again?.id, claims[0]?.id)
  assert.equal(again?.tries, 0)
  await releaseClaims(db, claims)
  await extendLeases(db, claims)
  await markSent(db, claims)
  const [row] =
    await db`select sent, fence, leased_until is not null as leased from deliveries where webhook_id = ${webhook.id}`
  assert.deepEqual({ ...row }, { sent: false, fence: again?.fence, leased: true }, 'the other one’s is left alone')
  assert.ok(again)
  await scene.settle([again])
})

for (const [what, change] of [
  ['extended', db`leased_until = now() + interval '20 seconds'`],
  ['settled', db`leased_until = null, due_at = now() + interval '5 seconds', tries = 1`],
] as const)
  test(`a lease that is ${what} at the last moment is not taken over`, async () => {
    const { claims } = await claimed()
    const [held] = claims
    assert.ok(held)
    await endLeases(db)
    const { promise: taking, resolve } = Promise.withResolvers<Claim[]>()
    await db.begin(async (tx) => {
      await tx`update deliveries set ${change} where id = ${held.id}`
      void scene.claim().then((taken) => resolve(taken.claims))
      await someoneWaits()
    })
    assert.deepEqual(await taking, [])
    const [row] = await db`select fence from deliveries where id = ${held.id}`
    assert.equal(row?.['fence'], held.fence)
    const { due_in } = await scheduleOf(db, held.webhookId)
    assert.ok(due_in <= 20, `and is looked at again when it would end, not in ${due_in} s`)
    assert.equal((await scene.settle(claims)).size, what === 'extended' ? 1 : 0)
    await db`delete from deliveries`
  })

test('a delivery that came back under the same id is not the one that somebody still holds', async () => {
  const { claims } = await claimed()
  const [old] = claims
  assert.ok(old)
  await endLeases(db)
  await scene.settle(await scene.claimSoon(2_000))
  // As a replay or a resend by hand brings it back.
  await db`
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, attempts)
    select id, webhook_id, environment, day, event_id, event_type, attempts from finished_deliveries where id = ${old.id}`
  await db`delete from finished_deliveries where id = ${old.id}`
  await db`update webhook_schedules set due_at = now() where webhook_id = ${old.webhookId}`
  const [again] = await scene.claimSoon(2_000)
  assert.equal(again?.id, old.id)
  assert.equal((await scene.settle([old], FAILURE)).size, 0)
  assert.ok(again)
  assert.equal((await scene.settle([again])).size, 1)
})

test('workers that want each other’s rows are told apart by the database, and both get on', async () => {
  const { webhook, claims } = await claimed(10)
  for (let round = 0; round < 5; round += 1) {
    await db`
      update deliveries set due_at = now(), leased_until = now(), fence = ${round}
      where webhook_id = ${webhook.id}`
    await db`update webhook_schedules set due_at = now(), consecutive_failures = 0 where webhook_id = ${webhook.id}`
    const stale = claims.map((claim) => ({ ...claim, fence: round }))
    const [settled, { claims: taken }] = await Promise.all([scene.settle(stale, FAILURE), scene.claim()])
    assert.ok(settled.size + taken.length <= 10, `${settled.size} and ${taken.length}`)
    await db`
      insert into deliveries (id, webhook_id, environment, day, event_id, event_type)
      select id, webhook_id, environment, day, event_id, event_type from finished_deliveries
      where webhook_id = ${webhook.id}`
    await db`delete from finished_deliveries where webhook_id = ${webhook.id}`
  }
})
