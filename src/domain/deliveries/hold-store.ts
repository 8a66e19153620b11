import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { holdSchedule } from './schedule-store.ts'

/** What becomes of what waited while a webhook was disabled (decision D7). */
export const HELD_CHOICES = ['send', 'keep'] as const

export type HeldChoice = (typeof HELD_CHOICES)[number]

/** Long enough for a worker to say what has left, or to give back what has not (decision D8). */
const PATIENCE_MS = 1_000
const LOOK_EVERY_MS = 20
/** What is being sent is what has been due for longest. */
const LOOKED_AT = 2_000
/** Rows of one statement, so that none runs into its time limit. */
const STEP = 5_000

/** A webhook that is enabled begins anew: nothing of how it fared counts any more, and what waits is looked at now. */
export async function resumeSending(tx: DbOrTransaction, webhookId: string, held: HeldChoice): Promise<void> {
  await holdSchedule(tx, webhookId)
  if (held === 'keep') await keepWaiting(tx, webhookId)
  await tx`
    update webhook_schedules set due_at = now(), capped = false, not_before = null, probe_at = null,
      consecutive_failures = 0, failing_since = null, failures = 0, warned = 0
    where webhook_id = ${webhookId}`
}

/**
 * What waits stays until somebody asks for it; a resend by hand that never came to pass is called off. What is being sent is
 * left alone: it counts among what may be sent at once, and if it fails it is tried again. So is what is being settled at this
 * moment: whoever settles wants the schedule that we hold.
 */
async function keepWaiting(tx: DbOrTransaction, webhookId: string): Promise<void> {
  await tx`
    delete from deliveries where id in (
      select id from deliveries where webhook_id = ${webhookId} and manual and leased_until is null
      for update skip locked)`
  for (let after: string | null = ''; after !== null; ) {
    const [step]: Array<{ last: string | null }> = await tx<Array<{ last: string | null }>>`
      with step as (
        select id from deliveries where webhook_id = ${webhookId} and id > ${after} and state = 'pending' and not manual
          and (leased_until is null or leased_until <= now())
        order by id limit ${STEP} for update skip locked
      ), kept as (
        update deliveries set state = 'held' where id in (select id from step)
      )
      select max(id) as last from step`
    after = step?.last ?? null
  }
}

/** Waits for a claim under way, which holds the schedule until its commit; after ours there is no further one. */
export async function stopSending(tx: DbOrTransaction, webhookId: string): Promise<void> {
  await tx`update webhook_schedules set due_at = 'infinity', capped = false where webhook_id = ${webhookId}`
}

/** After the commit of what stopped it: when this returns, no request of this webhook begins any more (decision D8). */
export async function untilUnderWay(db: Db, webhookId: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const unsent = await db`
      select 1 from (
        select leased_until, sent from deliveries where webhook_id = ${webhookId} and state = 'pending'
        order by due_at limit ${LOOKED_AT}
      ) as first where leased_until > now() and not sent limit 1`
    if (unsent.length === 0) return
    await sleep(LOOK_EVERY_MS)
  }
}
