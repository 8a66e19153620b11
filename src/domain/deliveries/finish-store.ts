import type { DbOrTransaction } from '../../platform/db.ts'

/** How a delivery ends that nobody sends any more. */
export type Ending = { state: 'failed' | 'cancelled'; because: string }

/**
 * Takes deliveries out of the queue and writes down why. What somebody is sending at this moment is left alone: its outcome
 * is told by who sends it, and when the lease is over it can be ended by the next call. Answers how many were ended.
 */
export async function endDeliveries(
  db: DbOrTransaction,
  ids: readonly string[],
  { state, because }: Ending,
): Promise<number> {
  const rows = await db<Array<{ id: string }>>`
    with ended as (
      select id from deliveries where id = any(${ids}) and (leased_until is null or leased_until <= now())
      for update skip locked
    ), removed as (
      delete from deliveries using ended where deliveries.id = ended.id returning deliveries.*
    ), kept_days as (
      -- A delivery that outlived its day has no place left to be explained in.
      select day from (select distinct day from removed) as days
      where exists (select 1 from pg_inherits where inhparent = 'finished_deliveries'::regclass
        and inhrelid = to_regclass('finished_deliveries' || to_char(day, '_YYYYMMDD')))
    ), explained as (
      insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, because,
        attempts, created_at)
      select day, id, webhook_id, environment, event_id, event_type, directed, ${state}, ${because}, attempts, created_at
      from removed join kept_days using (day) where not manual
      on conflict do nothing
    )
    select id from removed`
  return rows.length
}
