import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Claim } from '../../src/domain/deliveries/claim-store.ts'
import { extendLeases, markSent } from '../../src/domain/deliveries/lease-store.ts'
import { wakeNow } from '../../src/domain/deliveries/schedule-store.ts'
import { retriedTransaction } from '../../src/platform/retried-transaction.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { type QueuedWebhook, startClaimingScene } from '../harness/claiming-scene.ts'
import { forgotten } from '../harness/sending-rows.ts'
import { soakSize } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startClaimingScene({ deadlock_timeout: '50ms' })
after(scene.stop)
const { db } = scene

/** Sizes that a soak raises. */
const CLAIMERS = 8
const WEBHOOKS = 12
const EVENTS_EACH = soakSize(60, 600)
const RUN_MS = soakSize(5_000, 60_000)
const LONGEST_MS = soakSize(20_000, 180_000)
/** Far below the 20 s after which a lease that nobody settled would wake a webhook anyway. */
const STUCK_MS = 8_000

test('any number of claimers at once never exceed a limit, a rate, or take anything twice', async () => {
  const limits = Array.from({ length: WEBHOOKS }, (_, number) => ({
    atOnce: 1 + (number % 5),
    perSecond: number % 3 === 0 ? 20 : 100_000,
  }))
  const webhooks = await Promise.all(limits.map((each) => scene.webhook(each)))
  const limitOf = new Map(webhooks.map(({ id }, position) => [id, limits[position]]))
  await Promise.all(webhooks.map((webhook) => scene.accept(webhook, EVENTS_EACH)))

  const flying = new Map<string, number>()
  const taken = new Map<string, number[]>()
  const ever = new Set<string>()
  const faults: string[] = []
  const began = performance.now()
  const open = () => performance.now() - began < LONGEST_MS && ever.size < WEBHOOKS * EVENTS_EACH

  function take(claim: Claim): void {
    if (ever.has(claim.id)) faults.push(`${claim.id} was taken twice`)
    ever.add(claim.id)
    const now = (flying.get(claim.webhookId) ?? 0) + 1
    flying.set(claim.webhookId, now)
    if (now > (limitOf.get(claim.webhookId)?.atOnce ?? 0)) faults.push(`${now} of ${claim.webhookId} at once`)
    taken.set(claim.webhookId, [...(taken.get(claim.webhookId) ?? []), performance.now()])
  }

  async function work(claimer: number): Promise<void> {
    const through = scene.pool(2)
    const settling: Array<Promise<unknown>> = []
    while (open()) {
      const { claims } = await scene.claim({ db: through, webhooks: 1 + (claimer % 4) * 5 })
      for (const claim of claims) take(claim)
      if (claims.length === 0) await sleep(2)
      else
        settling.push(
          sleep(Math.random() * 20).then(() => {
            for (const { webhookId } of claims) flying.set(webhookId, (flying.get(webhookId) ?? 0) - 1)
            return scene.settle(claims)
          }),
        )
    }
    await Promise.all(settling)
  }
  await Promise.all(Array.from({ length: CLAIMERS }, (_, claimer) => work(claimer)))
  assert.deepEqual(faults, [])
  for (const [id, times] of taken) {
    const { perSecond } = limitOf.get(id) ?? { perSecond: 0 }
    const seconds = ((times.at(-1) ?? 0) - began) / 1_000
    const most = perSecond * seconds + Math.max(1, perSecond / 10)
    assert.ok(times.length <= most, `${times.length} of ${perSecond}/s in ${seconds} s`)
    assert.equal(times.length, EVENTS_EACH)
  }
  await db`delete from deliveries`
})

test('no wake-up is lost between an intake and a claimer that goes to sleep', async () => {
  const webhooks = await Promise.all(Array.from({ length: 16 }, () => scene.webhook({ atOnce: 1_000 })))
  const until = performance.now() + RUN_MS
  const waiting = new Map<string, number>()
  let rounds = 0
  const over = new AbortController()

  async function claimer(): Promise<void> {
    const through = scene.pool(2)
    while (!over.signal.aborted) {
      const { claims, nextInMs } = await scene.claim({ db: through })
      for (const { eventId } of claims) waiting.delete(eventId)
      if (claims.length > 0) await scene.settle(claims)
      else if (nextInMs !== 0) await sleep(1)
    }
  }
  async function publisher(webhook: QueuedWebhook): Promise<void> {
    while (performance.now() < until) {
      rounds += 1
      const ids = await retriedTransaction(db, async (tx) => {
        const accepted = await scene.accept(webhook, 1, tx)
        // Between the insert and the commit is where it would get lost.
        if (Math.random() < 0.5) await sleep(Math.random() * 4)
        return accepted
      })
      for (const id of ids) waiting.set(id, performance.now())
      await sleep(Math.random() * 60)
    }
  }
  const claimers = [claimer(), claimer()]
  await Promise.all(webhooks.flatMap((webhook) => [publisher(webhook), publisher(webhook)]))
  const gaveUp = performance.now() + STUCK_MS
  const left = async () => (await db`select 1 from deliveries limit 1`).length > 0
  while ((await left()) && performance.now() < gaveUp) await sleep(20)
  over.abort()
  await Promise.all(claimers)
  assert.equal(await left(), false, `${waiting.size} of ${rounds} still wait`)
  assert.deepEqual(await forgotten(db), [])
  assert.ok(rounds > 200, `${rounds}`)
})

test('an event that came while its webhook was being enabled is not forgotten', async () => {
  const webhook = await scene.webhook()
  await db`update webhooks set disabled_because = 'by_request' where id = ${webhook.id}`
  await db.begin(async (tx) => {
    await scene.accept(webhook, 1, tx)
    await db.begin(async (other) => {
      await other`update webhooks set disabled_because = null where id = ${webhook.id}`
      await wakeNow(other, webhook.id)
    })
    assert.deepEqual((await scene.claim()).claims, [], 'it cannot be seen yet')
  })
  const claims = await scene.claimSoon(STUCK_MS)
  assert.equal(claims.length, 1)
  await scene.settle(claims)
})

test('what a clock left in the future that was set back since holds nothing up, and costs nothing of the rate', async () => {
  const webhook = await scene.webhook({ perSecond: 50 })
  await db`
    update webhook_schedules set level = 0, level_at = now() + interval '1 hour', due_at = now() + interval '1 hour'
    where webhook_id = ${webhook.id}`
  for (let turn = 0; turn < 2; turn += 1) {
    await scene.accept(webhook, 1)
    const claims = await scene.claimSoon(STUCK_MS)
    assert.equal(claims.length, 1)
    await scene.settle(claims)
  }
})

test('room that was made while a claimer counted is used', async () => {
  const webhook = await scene.webhook({ atOnce: 2 })
  await scene.accept(webhook, 1)
  const first = await scene.claimSoon(STUCK_MS)
  await scene.accept(webhook, 2)
  const { promise: second, resolve } = Promise.withResolvers<Claim[]>()
  // The claimer has counted the first one, and waits for a row that somebody else looks at; both, as either may be the next.
  await db.begin(async (tx) => {
    const next = await tx`
      select 1 from deliveries where webhook_id = ${webhook.id} and leased_until is null for update`
    assert.equal(next.length, 2)
    void scene.claim().then(({ claims }) => resolve(claims))
    while (
      (await db`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
        .length === 0
    )
      await sleep(5)
    await scene.settle(first)
  })
  assert.equal((await second).length, 1)
  const third = await scene.claimSoon(STUCK_MS)
  assert.equal(third.length, 1, 'one is in flight, and two may be')
  await scene.settle([...(await second), ...third])
})

test('what waits for each other is tried again', async () => {
  const [one, other] = [await scene.webhook(), await scene.webhook()]
  const both = Promise.withResolvers<void>()
  let begun = 0
  const crossing = (first: string, then: string) =>
    retriedTransaction(db, async (tx) => {
      await wakeNow(tx, first)
      begun += 1
      if (begun === 2) both.resolve()
      await both.promise
      await wakeNow(tx, then)
    })
  await Promise.all([crossing(one.id, other.id), crossing(other.id, one.id)])
  assert.equal(begun, 3, 'one of them had to begin again')
})

test('who says that requests have left, or keeps its leases, does not wait for what is settled at that moment', async () => {
  const webhook = await scene.webhook()
  await scene.accept(webhook, 2)
  const { claims } = await scene.claim()
  const [settled, open] = claims
  assert.ok(settled && open && claims.length === 2)
  const until = Promise.withResolvers<void>()
  const holding = scene.db.begin(async (tx) => {
    await tx`select 1 from deliveries where id = ${settled.id} for update`
    // One after the other: what the one holds for a moment the other passes over, too.
    assert.deepEqual([...(await markSent(db, claims))], [open.id])
    await extendLeases(db, claims)
    await until.promise
  })
  const sent = async () => (await db<Array<{ id: string }>>`select id from deliveries where sent`).map(({ id }) => id)
  assert.ok(await soon(async () => (await sent()).length > 0))
  assert.deepEqual(await sent(), [open.id])
  until.resolve()
  await holding
  await scene.settle(claims)
})

test('an application that works again wakes its webhooks in the order in which everybody locks them', async () => {
  const webhooks = await Promise.all(Array.from({ length: 30 }, () => scene.webhook()))
  const everyone = await db<Array<{ id: string }>>`select webhook_id as id from webhook_schedules order by webhook_id`
  assert.ok(everyone.length >= webhooks.length)
  await db`update applications set suspended_at = now()`
  await db`update webhook_schedules set due_at = 'infinity'`
  const waking = Promise.withResolvers<unknown>()
  await transaction(db, async (tx) => {
    await tx`select 1 from webhook_schedules where webhook_id = ${everyone[0]?.id ?? ''} for update`
    db`update applications set suspended_at = null`.then(waking.resolve, waking.reject)
    const isWaiting = async () => {
      const rows = await db`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return rows.length > 0
    }
    assert.ok(await soon(isWaiting, PATIENCE_MS), 'it waits for the first')
    const free = await tx`select 1 from webhook_schedules for update skip locked`
    assert.equal(free.length, everyone.length, 'and holds none of those behind it')
  })
  await waking.promise
  const asleep = await db`select 1 from webhook_schedules where due_at = 'infinity'`
  assert.equal(asleep.length, 0, 'all are awake')
})
