import assert from 'node:assert/strict'
import { holdSchedule } from '../../src/domain/deliveries/schedule-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { retriedTransaction } from '../../src/platform/retried-transaction.ts'
import { PATIENCE_MS, soon } from './soon.ts'

/** Where a delivery stands: still in the queue, or finished. */
export type DeliveryRow = {
  id: string
  event_id: string
  state: string
  because: string | null
  attempts: number
  /** Until it is due; null when it is finished. */
  due_in: number | null
}

export async function deliveriesOf(db: Db, webhookId: string): Promise<DeliveryRow[]> {
  return db<DeliveryRow[]>`
    select id, event_id, state, null as because, attempts, extract(epoch from due_at - now())::float8 as due_in
    from deliveries where webhook_id = ${webhookId}
    union all
    select id, event_id, state, because, attempts, null from finished_deliveries where webhook_id = ${webhookId}
    order by 1`
}

/** How many deliveries of the webhook are in which state, with the reason when there is one: `cancelled access_lost`. */
export async function statesOf(db: Db, webhookId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { state, because } of await deliveriesOf(db, webhookId)) {
    const name = because === null ? state : `${state} ${because}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** Waits until the webhook's deliveries are in these states and no others. */
export async function statesBecome(
  db: Db,
  webhookId: string,
  states: Record<string, number>,
  withinMs = PATIENCE_MS,
): Promise<void> {
  let last: Record<string, number> = {}
  const isSo = async () => {
    last = await statesOf(db, webhookId)
    return Object.keys(last).length === Object.keys(states).length && hasAll(last, states)
  }
  if (!(await soon(isSo, withinMs))) assert.deepEqual(last, states)
}

function hasAll(found: Record<string, number>, wanted: Record<string, number>): boolean {
  return Object.entries(wanted).every(([name, count]) => found[name] === count)
}

export type AttemptRow = {
  delivery_id: string
  number: number
  /** By the database's clock. */
  started_at: Date
  url: string
  status: number | null
  error: string | null
  message: string | null
  duration_ms: number
  response_head: string | null
  response_body: Buffer | null
}

export async function attemptsOf(db: Db, webhookId: string): Promise<AttemptRow[]> {
  return db<AttemptRow[]>`
    select delivery_id, number, started_at, url, status, error, message, duration_ms, response_head, response_body
    from attempts where delivery_id in (
      select id from deliveries where webhook_id = ${webhookId}
      union select id from finished_deliveries where webhook_id = ${webhookId})
    order by delivery_id, number`
}

/**
 * Of each delivery that was tried and waits: the seconds from when its last attempt began to when the next one is due. Never less
 * than the schedule says, however long ago that was.
 */
export async function waitsOf(db: Db, webhookId: string): Promise<number[]> {
  const rows = await db<Array<{ seconds: number }>>`
    select extract(epoch from due_at - max(started_at))::float8 as seconds
    from deliveries join attempts on delivery_id = id
    where webhook_id = ${webhookId} group by id, due_at`
  return rows.map(({ seconds }) => seconds)
}

export type ScheduleRow = {
  due_in: number
  capped: boolean
  paused_for: number | null
  consecutive_failures: number
  probe_in: number | null
  failing_since: Date | null
  failures: number
}

export async function scheduleOf(db: Db, webhookId: string): Promise<ScheduleRow> {
  const [row] = await db<ScheduleRow[]>`
    select extract(epoch from due_at - now())::float8 as due_in, capped,
           extract(epoch from not_before - now())::float8 as paused_for, consecutive_failures,
           extract(epoch from probe_at - now())::float8 as probe_in, failing_since, failures
    from webhook_schedules where webhook_id = ${webhookId}`
  assert.ok(row)
  return row
}

/** Waits until nobody is sending anything of this webhook. */
export async function landed(db: Db, webhookId: string): Promise<void> {
  const isSo = async () => {
    const rows = await db`select 1 from deliveries where webhook_id = ${webhookId} and leased_until is not null limit 1`
    return rows.length === 0
  }
  assert.ok(await soon(isSo, PATIENCE_MS), 'something is still being sent')
}

/** As if the time that anything of this webhook waits for had passed. Workers are about: its rows are locked in their order. */
export async function hurry(db: Db, webhookId: string): Promise<void> {
  await landed(db, webhookId)
  await retriedTransaction(db, async (tx) => {
    await holdSchedule(tx, webhookId)
    await tx`update deliveries set due_at = now() where webhook_id = ${webhookId}`
    await tx`
      update webhook_schedules set due_at = now(), not_before = null, probe_at = least(probe_at, now())
      where webhook_id = ${webhookId}`
  })
  await ring(db)
}

/** As if the 30 s until the next probe of an open circuit had passed. */
export async function probeNow(db: Db, webhookId: string): Promise<void> {
  await db`update webhook_schedules set due_at = now(), probe_at = now() where webhook_id = ${webhookId}`
  await ring(db)
}

/** Workers in other processes, and those of a service in this one, look at once. */
export async function ring(db: Db): Promise<void> {
  await db`select pg_notify('handover_deliveries', '')`
}

/** As if the workers that hold a lease had not been heard of for longer than it lasts. */
export async function endLeases(db: Db): Promise<void> {
  await retriedTransaction(
    db,
    (tx) => tx`update deliveries set due_at = now(), leased_until = now() where leased_until is not null`,
  )
  await lookAtAll(db)
}

/** Whatever has work is looked at now. */
async function lookAtAll(db: Db): Promise<void> {
  await retriedTransaction(db, (tx) => tx`update webhook_schedules set due_at = now() where due_at < 'infinity'`)
}

/** What waits although nobody will ever look at it: a wake-up that got lost. */
export async function forgotten(db: Db): Promise<string[]> {
  const rows = await db<Array<{ id: string }>>`
    select deliveries.id from deliveries
    join webhook_schedules as schedule using (webhook_id)
    join webhooks on webhooks.id = webhook_id
    where deliveries.state = 'pending' and webhooks.disabled_because is null
      and schedule.due_at > greatest(deliveries.due_at, now()) + interval '1 hour'`
  return rows.map(({ id }) => id)
}

export type Lease = { id: string; fence: number; event_id: string; webhook_id: string }

export function leasesIn(db: Db): Promise<Lease[]> {
  return db<Lease[]>`select id, fence, event_id, webhook_id from deliveries where leased_until is not null`
}

/** As if the lease had run out; whoever lives has settled theirs meanwhile, or been told apart by another number. */
export async function runOut(db: Db, gone: readonly Lease[]): Promise<void> {
  await retriedTransaction(
    db,
    (tx) => tx`
    update deliveries set due_at = now(), leased_until = now()
    from unnest(${gone.map(({ id }) => id)}::text[], ${gone.map(({ fence }) => fence)}::int[]) as gone (id, fence)
    where deliveries.id = gone.id and deliveries.fence = gone.fence and leased_until is not null`,
  )
  await lookAtAll(db)
  await ring(db)
}
