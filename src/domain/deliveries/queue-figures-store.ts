import type { Db } from '../../platform/db.ts'
import { LEASE_SECONDS } from './claim-store.ts'
import { CIRCUIT_FAILURES, PROBE_SECONDS } from './schedule-store.ts'

/** How the queue fares, over all processes. */
export type QueueFigures = {
  /** For how long the oldest delivery that could have been sent has been due; 0 when none waits for us. */
  oldestDueSeconds: number
  pending: number
  held: number
  inFlight: number
  openCircuits: number
  failingWebhooks: number
}

/** Webhooks looked at for the oldest delivery, the longest due first. */
const MOST_LOOKED_AT = 500
/** Webhooks of each health in which what is being sent is counted: more than a few processes can send to at once. */
const MOST_COUNTED_IN = 1_000
/** Until here what is pending is counted; beyond, it is estimated. */
const MOST_COUNTED = 10_000
/** Pages of the queue that an estimate reads; a queue that has no more is counted. */
const PAGES_READ = 200

/**
 * Costs about the same whatever waits: the schedules that are due are found by their indexes, and of the queue itself only
 * so much is read.
 *
 * Late is what could be sent and is not. A circuit, a rate limit, a Retry-After or a full set of requests move the schedule of
 * their webhook into the future, so a schedule that has been due for longer than a worker takes to come by is our fault, and
 * the age of its oldest delivery is how far we are behind.
 */
export async function readQueueFigures(db: Db): Promise<QueueFigures> {
  // Who waits for answers is looked at again when a lease ends or the next probe is due.
  const soon = db`make_interval(secs => ${Math.max(LEASE_SECONDS, PROBE_SECONDS)})`
  const [row] = await db<
    [{ oldest: number; pending: number; held: number; in_flight: number; circuits: number; failing: number }]
  >`
    with overdue as materialized (
      (select * from webhook_schedules
       where due_at <= now() - interval '100 milliseconds' and due_at < 'infinity' and consecutive_failures = 0
       order by due_at limit ${MOST_LOOKED_AT})
      union all
      (select * from webhook_schedules
       where due_at <= now() - interval '100 milliseconds' and due_at < 'infinity' and consecutive_failures > 0
         and consecutive_failures < ${CIRCUIT_FAILURES}
       order by due_at limit ${MOST_LOOKED_AT})
    ), sample as (
      select count(*) filter (where state = 'pending') as pending, count(*) filter (where state = 'held') as held
      from deliveries tablesample system (${percentRead(db)})
    ), active as materialized (
      (select webhook_id, leased_through from webhook_schedules
       where due_at <= now() + ${soon} and due_at < 'infinity' and consecutive_failures = 0
       order by due_at limit ${MOST_COUNTED_IN})
      union all
      (select webhook_id, leased_through from webhook_schedules
       where due_at <= now() + ${soon} and due_at < 'infinity' and consecutive_failures > 0
       order by due_at limit ${MOST_COUNTED_IN})
    ), counted as (
      select count(*) as pending from (select from deliveries where state = 'pending' limit ${MOST_COUNTED + 1}) as waiting
    )
    select
      coalesce((
        select extract(epoch from now() - min(waiting.due_at)) from overdue
        -- One by one, so that no plan begins with all webhooks there are.
        cross join lateral (
          select 1 from webhooks join applications on applications.id = webhooks.application_id
          where webhooks.id = overdue.webhook_id and webhooks.disabled_because is null
            and applications.suspended_at is null and applications.deleted_at is null
          limit 1
        ) as working
        cross join lateral (
          select due_at from deliveries
          where deliveries.webhook_id = overdue.webhook_id and state = 'pending' and due_at <= now()
            and (leased_until is null or leased_until <= now())
          order by due_at limit 1
        ) as waiting
        where overdue.not_before is null or overdue.not_before <= now()
      ), 0)::float8 as oldest,
      case when counted.pending <= ${MOST_COUNTED} then counted.pending
        else greatest(counted.pending, sample.pending * 100 / ${percentRead(db)}) end::float8 as pending,
      (sample.held * 100 / ${percentRead(db)})::float8 as held,
      (select count(*) from active cross join lateral (
         select 1 from deliveries where deliveries.webhook_id = active.webhook_id and state = 'pending'
           and due_at <= leased_through and leased_until > now() offset 0
       ) as flying)::float8 as in_flight,
      (select count(*) from webhook_schedules
       where failing_since is not null and consecutive_failures >= ${CIRCUIT_FAILURES})::float8 as circuits,
      (select count(*) from webhook_schedules where failing_since is not null)::float8 as failing
    from sample, counted`
  return {
    oldestDueSeconds: row.oldest,
    pending: Math.max(0, Math.round(row.pending) - row.in_flight),
    held: Math.round(row.held),
    inFlight: row.in_flight,
    openCircuits: row.circuits,
    failingWebhooks: row.failing,
  }
}

function percentRead(db: Db) {
  return db`
    least(100, 100 * ${PAGES_READ}::float8 * current_setting('block_size')::int / greatest(1, pg_relation_size('deliveries')))`
}
