import { randomInt } from 'node:crypto'
import { byItsKeys } from '../../platform/by-its-keys.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { endWhenSilent } from '../../platform/end-when-silent.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Audiences } from '../tokens/audience.ts'
import { burst, CIRCUIT_FAILURES, INTAKE_LOCKS, PROBE_SECONDS, refill } from './schedule-store.ts'
import { unwantedBecause } from './wanted-store.ts'

/** Longer than an attempt can take; a worker that lives on extends it (decision D9). */
export const LEASE_SECONDS = 20

/** What one webhook gives at a time, so that a long backlog is no reason for others to wait. */
export const MOST_OF_ONE = 25

/**
 * Who settles makes a full webhook due, if they see that it is full. Those that settle while we count do not see it yet, so we
 * look again soon, and then from time to time.
 */
const FULL_SECONDS = 0.25
const FULL_FOR_LONG_SECONDS = 2

/** Numbers of leases: enough that two of one delivery are never the same. */
const MOST_FENCES = 2 ** 31 - 1

/** Whether the last attempt of a webhook failed. */
export type Health = 'well' | 'failing'

/** A delivery that is ours to send until the lease ends, and everything that sending it needs, as it stands now. */
export type Claim = {
  id: string
  /** The lease's own number: who holds another one settles nothing. */
  fence: number
  day: string
  tries: number
  attempts: number
  manual: boolean
  webhookId: string
  /** Of the webhook, when it was claimed. */
  version: number
  url: string
  secretsSealed: Buffer
  eventId: string
  body: string
  createdAt: Date
  /** The webhook's last attempt failed. */
  failing: boolean
}

export type Claimed = {
  claims: Claim[]
  /** The database's clock, which decides what is due and which goes into what is signed (decision A7). */
  databaseTime: Date
  /** Until the next webhook has work; null when none is in sight. */
  nextInMs: number | null
}

/**
 * Takes what is due, webhook by webhook, the longest due first. One transaction of two statements: the first locks the
 * schedules that are due, the second counts and picks with a snapshot from after the locks; in one statement two workers
 * would both count before either picks, and overshoot the limit.
 */
export async function claimDeliveries(
  db: Db,
  audiences: Audiences,
  room: { webhooks: number; health: Health },
): Promise<Claimed> {
  return retriedTransaction(db, async (tx) => {
    const group = room.health === 'well' ? tx`consecutive_failures = 0` : tx`consecutive_failures > 0`
    const [, , due] = await Promise.all([
      endWhenSilent(tx),
      byItsKeys(tx),
      tx<Array<{ webhook_id: string; quiet: boolean }>>`
        select webhook_id, pg_try_advisory_xact_lock(${INTAKE_LOCKS}, hashtext(webhook_id) & 63) as quiet from (
          select webhook_id from webhook_schedules
          where due_at <= now() and due_at < 'infinity' and ${group}
          order by due_at limit ${room.webhooks} for update skip locked
        ) as due`,
    ])
    const claims = due.length === 0 ? [] : await pick(tx, audiences, due)
    const [look] = await tx<Array<{ now: Date; seconds: number | null }>>`
      select clock_timestamp() as now, extract(epoch from min(due_at) - clock_timestamp())::float8 as seconds
      from webhook_schedules where due_at < 'infinity' and ${group}`
    if (look === undefined) throw new Error('An aggregate always has a row')
    const nextInMs = look.seconds === null ? null : Math.max(0, Math.ceil(look.seconds * 1_000))
    return { claims, databaseTime: look.now, nextInMs }
  })
}

type ClaimRow = {
  id: string
  day: string
  tries: number
  attempts: number
  manual: boolean
  webhook_id: string
  version: number
  url: string
  secrets_sealed: Buffer
  event_id: string
  body: string
  created_at: Date
  failing: boolean
}

async function pick(
  tx: DbOrTransaction,
  audiences: Audiences,
  due: ReadonlyArray<{ webhook_id: string; quiet: boolean }>,
): Promise<Claim[]> {
  const ids = due.map((each) => each.webhook_id)
  const quiet = due.filter((each) => each.quiet).map((each) => each.webhook_id)
  const fence = randomInt(MOST_FENCES)
  const rows = await tx<ClaimRow[]>`
    with chosen as (
      select webhook_id, webhook_id = any(${quiet}) as quiet from unnest(${ids}::text[]) as webhook_id
    ), state as (
      select schedule.*, quiet, in_flight.*,
        -- What a listener fetches is never sent (decision record 82).
        webhooks.disabled_because is not null or webhooks.listener is not null
          or applications.suspended_at is not null or applications.deleted_at is not null as stopped,
        consecutive_failures >= ${CIRCUIT_FAILURES} as broken,
        ${burst(tx)} as burst, ${refill(tx)} as refill,
        -- Nothing is taken back by a clock that was set back: the level would fall for as long as it had been ahead.
        least(${burst(tx)}, level + ${refill(tx)} * greatest(0, extract(epoch from now() - level_at)::float8)) as full_level
      from chosen
      join webhook_schedules as schedule using (webhook_id)
      join webhooks on webhooks.id = webhook_id
      join applications on applications.id = webhooks.application_id
      cross join lateral (
        -- A lease that has ended may still be extended by who holds it, so it stays within what is counted next time.
        select count(*) filter (where leased_until > now())::int as flying,
          count(*) filter (where leased_until > now() and not manual)::int as regular,
          max(deliveries.due_at) filter (where leased_until is not null) as last_leased
        from deliveries
        where deliveries.webhook_id = chosen.webhook_id and state = 'pending' and deliveries.due_at <= leased_through
      ) as in_flight
    ), room as (
      select *, broken and regular = 0 and (probe_at is null or probe_at <= now()) as probing, case
        when stopped or not_before > now() then 0
        else greatest(0, least(at_once - flying, floor(full_level)::int, ${MOST_OF_ONE})) end as places
      from state
    ), looked as (
      -- One more than there are places for tells whether any are left. An open circuit holds back all but its probe, and what
      -- is sent by hand, which stands in front: somebody waits for it, and it says nothing of the webhook's health.
      select placed.*, place > places or (broken and not manual and not (probing and place_of_kind = 1)) as beyond
      from (
        select waiting.*, places, broken, probing, consecutive_failures > 0 as failing,
               row_number() over (partition by room.webhook_id order by waiting.due_at) as place,
               row_number() over (partition by room.webhook_id, manual order by waiting.due_at) as place_of_kind
        from room cross join lateral (
          select * from deliveries
          where webhook_id = room.webhook_id and state = 'pending' and due_at <= now()
            and (leased_until is null or leased_until <= now())
          order by due_at limit room.places + 1
        ) as waiting
      ) as placed
    ), judged as (
      select deliveries.*, events.body, webhooks.version, webhooks.url, webhooks.secrets_sealed,
        ${unwantedBecause(tx, audiences)} as unwanted
      -- One by one and by their keys (offset 0 keeps it so). The planner often knows an empty queue, and would then join what it
      -- takes for a single row, which may be a hundred thousand, by reading all of them.
      from looked as deliveries
      cross join lateral (select * from webhooks where webhooks.id = deliveries.webhook_id offset 0) as webhooks
      cross join lateral (
        select body, facility_id, user_id from events
        where events.day = deliveries.day and events.environment = deliveries.environment and events.id = deliveries.event_id
        offset 0
      ) as events
      where not deliveries.beyond
    ), leased as (
      -- The number is drawn and not counted: a delivery that is sent again by hand is a new row, and would begin to count anew.
      -- Asked again whether it is free and due, because whoever held it last may just have extended their lease or settled it.
      -- Nothing that an index knows is written, so no index is (decision record 99).
      update deliveries set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}), fence = ${fence}, sent = false
      where id = any(array(select id from judged where unwanted is null)) and due_at <= now()
        and (leased_until is null or leased_until <= now())
      returning id
    ), dropped as (
      delete from deliveries where id = any(array(select id from judged where unwanted is not null))
      returning deliveries.*, (select unwanted from judged where judged.id = deliveries.id) as unwanted
    ), explained as (
      insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, because,
        attempts, created_at)
      select day, id, webhook_id, environment, event_id, event_type, directed, 'cancelled', unwanted, attempts, created_at
      from dropped where not manual
      on conflict do nothing
    ), used as (
      select room.*, coalesce(taken, 0) as taken, last_taken, coalesce(more, false) as more,
             broken and coalesce(taken_regular, 0) > 0 as probed,
             broken and not coalesce(more_by_hand, false) as held_back
      from room
      left join (
        select webhook_id, count(*)::int as taken, count(*) filter (where not manual) as taken_regular,
               max(due_at) as last_taken
        -- Also what somebody extended or settled in the meantime: it is looked at again in time.
        from judged where unwanted is null group by 1
      ) as counted using (webhook_id)
      left join (
        select webhook_id, bool_or(beyond) as more, bool_or(beyond and manual) as more_by_hand from looked group by 1
      ) as left_over using (webhook_id)
    ), moved as (
      update webhook_schedules set
        level = used.full_level - used.taken,
        level_at = now(),
        leased_through = greatest(used.last_leased, used.last_taken),
        capped = not used.stopped and not used.broken and used.more and used.flying + used.taken >= used.at_once,
        probe_at = case when used.probed then now() + make_interval(secs => ${PROBE_SECONDS}) else used.probe_at end,
        due_at = case
          when used.stopped then 'infinity'
          when used.not_before > now() then used.not_before
          when used.held_back and used.probed then now() + make_interval(secs => ${PROBE_SECONDS})
          when used.held_back and used.more and not used.probing
            then greatest(used.probe_at, now() + interval '1 second')
          when used.more and used.flying + used.taken >= used.at_once
            then now() + make_interval(secs =>
              case when used.capped then ${FULL_FOR_LONG_SECONDS} else ${FULL_SECONDS} end::float8)
          when used.more and used.full_level - used.taken < 1 then now() + make_interval(
            secs => (greatest(1, used.burst * 0.8) - (used.full_level - used.taken)) / used.refill)
          when used.more then now()
          else least(
            case when used.taken > 0 then now() + make_interval(secs => ${LEASE_SECONDS}) end,
            -- Nothing is left that is free, so whatever is due is being sent.
            (select min(sent.leased_until) from deliveries as sent where sent.webhook_id = used.webhook_id
              and sent.state = 'pending' and sent.due_at <= now() and sent.leased_until > now()),
            case when not used.quiet then now() + interval '50 milliseconds' end,
            coalesce((select min(later.due_at) from deliveries as later
              where later.webhook_id = used.webhook_id and later.state = 'pending' and later.due_at > now()), 'infinity'))
          end
      from used where webhook_schedules.webhook_id = used.webhook_id
    )
    select id, day::text, tries, attempts, manual, webhook_id, version, url, secrets_sealed, event_id, body, created_at, failing
    from judged
    -- Looked up in a table of them: joined, the planner compares each with each.
    where (id in (select id from leased)) is true`
  return rows.map((row) => ({
    id: row.id,
    fence,
    day: row.day,
    tries: row.tries,
    attempts: row.attempts,
    manual: row.manual,
    webhookId: row.webhook_id,
    version: row.version,
    url: row.url,
    secretsSealed: row.secrets_sealed,
    eventId: row.event_id,
    body: row.body,
    createdAt: row.created_at,
    failing: row.failing,
  }))
}
