import type { DbOrTransaction } from '../../platform/db.ts'
import { idsBetween } from './delivery-id.ts'

/** Attempts of the deliveries that were made in one hour. */
export type HealthHour = {
  from: Date
  succeeded: number
  failed: number
  /** There were more than are counted. */
  more: boolean
}

/** How a webhook fared over the last day, and what waits for it. */
export type Health = {
  /** The oldest first, one for each hour, the present one included. */
  hours: HealthHour[]
  /** Of the newest attempts that were answered; null when there was none. */
  latency: { p50: number; p99: number; attempts: number } | null
  /** Counted up to `MOST_WAITING`. */
  waiting: { pending: number; held: number }
  /** When the next one could be sent; null when nothing waits. */
  nextDueAt: Date | null
}

const HOUR_MS = 3_600_000
export const HEALTH_HOURS = 24
/** Of an hour so many deliveries are counted and no more: with a million in a day this still answers at once. */
export const MOST_OF_AN_HOUR = 1_000
export const MOST_WAITING = 10_000
/** Deliveries whose attempts are measured. */
const MOST_MEASURED = 500

/** Everything here is bounded: what is read of a webhook does not grow with what was ever sent to it. */
export async function readHealth(db: DbOrTransaction, webhookId: string, now: Date): Promise<Health> {
  const begin = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - (HEALTH_HOURS - 1) * HOUR_MS
  const starts = Array.from({ length: HEALTH_HOURS }, (_, hour) => new Date(begin + hour * HOUR_MS))
  const [hours, latency, waiting] = await Promise.all([
    countHours(db, webhookId, starts),
    measure(db, webhookId, new Date(begin)),
    countWaiting(db, webhookId),
  ])
  return { hours, latency, ...waiting }
}

/**
 * By when they were made, because that is what the index knows: a retry counts for the hour of its event. Attempts are told
 * by the delivery's own count, so no attempt has to be read.
 */
async function countHours(db: DbOrTransaction, webhookId: string, starts: readonly Date[]): Promise<HealthHour[]> {
  const firsts = starts.map((start) => idsBetween(start, null).first)
  const ends = starts.map((start) => idsBetween(new Date(start.getTime() + HOUR_MS), null).first)
  const rows = await db<Array<{ looked: number; succeeded: number; attempts: number }>>`
    select counted.* from unnest(${firsts}::text[], ${ends}::text[]) with ordinality as hour (first, ending, number)
    cross join lateral (
      select count(*)::int as looked, count(*) filter (where state = 'delivered')::int as succeeded,
             coalesce(sum(attempts), 0)::int as attempts
      from (
        (select state, attempts from finished_deliveries as delivery
         where delivery.webhook_id = ${webhookId} and delivery.id >= hour.first and delivery.id < hour.ending
         order by delivery.id limit ${MOST_OF_AN_HOUR})
        union all
        (select state, attempts from deliveries as delivery
         where delivery.webhook_id = ${webhookId} and delivery.id >= hour.first and delivery.id < hour.ending
           and not manual
         order by delivery.id limit ${MOST_OF_AN_HOUR})
      ) as made
    ) as counted
    order by hour.number`
  return starts.map((from, position) => {
    const { looked = 0, succeeded = 0, attempts = 0 } = rows[position] ?? {}
    return { from, succeeded, failed: Math.max(0, attempts - succeeded), more: looked >= MOST_OF_AN_HOUR }
  })
}

async function measure(db: DbOrTransaction, webhookId: string, since: Date): Promise<Health['latency']> {
  const { first } = idsBetween(since, null)
  const newest = (table: 'finished' | 'waiting') => db`
    (select day, id from ${table === 'finished' ? db`finished_deliveries` : db`deliveries`} as delivery
     where delivery.webhook_id = ${webhookId} and delivery.id >= ${first} and attempts > 0
     order by id desc limit ${MOST_MEASURED})`
  const [row] = await db<Array<{ p50: number | null; p99: number | null; attempts: number }>>`
    select percentile_cont(0.5) within group (order by duration_ms)::float8 as p50,
           percentile_cont(0.99) within group (order by duration_ms)::float8 as p99, count(*)::int as attempts
    from (select distinct day, id from (${newest('finished')} union all ${newest('waiting')}) as both_kinds
          order by id desc limit ${MOST_MEASURED}) as newest
    -- The limit keeps the planner from reading all attempts to find a few.
    cross join lateral (
      select duration_ms from attempts
      where attempts.day = newest.day and attempts.delivery_id = newest.id and status is not null limit 20
    ) as answered`
  if (row === undefined || row.p50 === null || row.p99 === null) return null
  return { p50: row.p50, p99: row.p99, attempts: row.attempts }
}

/** What waits for a disabled webhook is held, whatever its row says (decision D7); the page knows whether it is. */
async function countWaiting(db: DbOrTransaction, webhookId: string): Promise<Pick<Health, 'waiting' | 'nextDueAt'>> {
  const [row] = await db<Array<{ pending: number; held: number; next_due_at: Date | null }>>`
    select count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'held')::int as held,
      (select due_at from deliveries where webhook_id = ${webhookId} and state = 'pending'
         and (leased_until is null or leased_until <= now())
       order by due_at limit 1) as next_due_at
    from (select state from deliveries where webhook_id = ${webhookId} and not manual order by id limit ${MOST_WAITING + 1})
      as waiting`
  return {
    waiting: { pending: row?.pending ?? 0, held: row?.held ?? 0 },
    nextDueAt: row?.next_due_at ?? null,
  }
}
