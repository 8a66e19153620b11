import type { DbOrTransaction } from '../../platform/db.ts'
import { endWhenSilent } from '../../platform/end-when-silent.ts'

/** Consecutive failures that open a webhook's circuit, and how often one is let through then (decision D6). */
export const CIRCUIT_FAILURES = 10
export const PROBE_SECONDS = 30

/** A number of our own among the advisory locks of the database. */
export const INTAKE_LOCKS = 0x6861_6e64

/**
 * Tells the schedules of webhooks that something new waits for them. Only what moves earlier is written, so a busy webhook's
 * row is left alone by whoever brings more (decision D10).
 *
 * One that a listener fetches sleeps for ever. One that is disabled is left asleep; whoever enables it wakes it. That is asked last: it may have changed since the events
 * were matched, and who enables it from now on is not let to sleep before we commit.
 *
 * Not writing has a danger: a worker that does not see the new deliveries yet may put the webhook to sleep at this moment. So
 * we hold a shared lock until the commit, and a worker puts webhooks to sleep only while nobody holds it. The locks are 64,
 * by a hash of the webhook's id: one for each webhook would fill the server's table of locks.
 */
export async function wakeSchedules(tx: DbOrTransaction, webhookIds: readonly string[]): Promise<void> {
  const ids = [...new Set(webhookIds)]
  if (ids.length === 0) return
  await Promise.all([
    endWhenSilent(tx),
    tx`
      select pg_advisory_xact_lock_shared(${INTAKE_LOCKS}, bucket)
      from (select distinct hashtext(id) & 63 as bucket from unnest(${ids}::text[]) as id order by bucket) as buckets`,
  ])
  await tx`
    with later as (
      select webhook_id, ${soonest(tx)} as soonest from webhook_schedules join webhooks on webhooks.id = webhook_id
      where webhook_id = any(${ids}) and disabled_because is null and listener is null and not capped
        and due_at > ${soonest(tx)}
      order by webhook_id for update of webhook_schedules
    )
    update webhook_schedules set due_at = later.soonest from later
    where webhook_schedules.webhook_id = later.webhook_id`
}

/**
 * Nobody claims from this webhook until the transaction ends. To be held before any of its deliveries is: a worker that
 * claims takes them in the same order.
 */
export async function holdSchedule(tx: DbOrTransaction, webhookId: string): Promise<void> {
  await Promise.all([endWhenSilent(tx), tx`select 1 from webhook_schedules where webhook_id = ${webhookId} for update`])
}

/** As `wakeSchedules`, for one webhook, whatever holds it back: written in any case, so no lock is needed. */
export async function wakeNow(tx: DbOrTransaction, webhookId: string): Promise<void> {
  await tx`update webhook_schedules set due_at = now(), capped = false where webhook_id = ${webhookId}`
}

/**
 * When something new could be sent: not before the receiver's pause, an open circuit's next probe, or the rate's next one. A
 * level that was written in the future is that of a clock which has been set back since (decision record 92).
 */
function soonest(tx: DbOrTransaction) {
  return tx`
    greatest(now(), not_before, case when consecutive_failures >= ${CIRCUIT_FAILURES} then probe_at end,
             least(level_at, now()) + make_interval(secs => (1 - level) / ${refill(tx)}))`
}

/**
 * A webhook's rate is a bucket that holds a tenth of `per_second` and fills with the other nine, so that no second has more
 * than `per_second`. Beyond that, requests only bunch up on their way.
 */
export function burst(tx: DbOrTransaction) {
  return tx`greatest(1, per_second * 0.1::float8)`
}

export function refill(tx: DbOrTransaction) {
  return tx`(per_second * 0.9::float8)`
}
