import { byItsKeys } from '../../platform/by-its-keys.ts'
import { byteaTexts } from '../../platform/bytea.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { endWhenSilent } from '../../platform/end-when-silent.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Claim } from './claim-store.ts'
import { markDisabled } from './failing-store.ts'
import type { Verdict } from './retry-schedule.ts'
import { CIRCUIT_FAILURES, PROBE_SECONDS } from './schedule-store.ts'

/** An attempt that was made, and what it came to. */
export type Attempted = {
  claim: Claim
  verdict: Verdict
  startedAt: Date
  durationMs: number
  status: number | null
  error: string | null
  message: string | null
  responseHead: string | null
  responseBody: Buffer | null
}

/** Of every failure but the last one, and of every success, this much is kept (decision D10). */
const BYTES_KEPT = 1_024

/**
 * Writes down what became of deliveries, many at once. Who no longer holds the lease has nothing to say: the fencing number
 * decides, so an attempt counts once. Answers which of them counted.
 */
export async function settleDeliveries(db: Db, attempted: readonly Attempted[]): Promise<Set<string>> {
  return retriedTransaction(db, async (tx) => {
    const [, settled] = await Promise.all([endWhenSilent(tx), writeOutcomes(tx, attempted)])
    const counted = attempted.filter(({ claim }) => settled.has(claim.id))
    const gone = await disableGone(tx, counted)
    await noteHealth(tx, counted)
    // Last, so that it has the last word on when the webhook is due.
    await markDisabled(tx, gone)
    return settled
  })
}

/** What is written of an attempt, whoever made it. */
export type Outcome = Omit<Attempted, 'claim'> & { claim: Pick<Claim, 'id' | 'fence' | 'url'> }

/** Without a word on how the webhook fares. */
export async function writeOutcomes(tx: DbOrTransaction, attempted: readonly Outcome[]): Promise<Set<string>> {
  // Asked again of the row that is written: a lease that was settled or given back has ended, though its number stays. Rows are
  // found by their ids alone, and what is known of them is looked up for each: joined, the planner would read the whole queue
  // whenever it knows it as empty.
  const place = tx`array_position((select keys from known), deliveries.id || ' ' || deliveries.fence)`
  const stillHeld = tx`
    deliveries.leased_until is not null and ((deliveries.id, deliveries.fence) in (select id, fence from news)) is true`
  const column = <Value>(value: (each: Outcome) => Value) => attempted.map(value)
  const statement = tx<CountedRow[]>`
    with news as (
      select * from unnest(
        ${column(({ claim }) => claim.id)}::text[], ${column(({ claim }) => claim.fence)}::int[],
        ${column(({ verdict }) => verdict.outcome.kind)}::text[],
        ${column(({ verdict: { outcome } }) => (outcome.kind === 'retry' ? outcome.afterSeconds : null))}::float8[],
        ${column(({ startedAt }) => startedAt.toISOString())}::timestamptz[],
        ${column(({ claim }) => claim.url)}::text[], ${column(({ status }) => status)}::int[],
        ${column(({ error }) => error)}::text[], ${column(({ message }) => message)}::text[],
        ${column(({ durationMs }) => durationMs)}::int[],
        ${column(({ responseHead }) => responseHead)}::text[], ${byteaTexts(column(({ responseBody }) => responseBody))}::text[]::bytea[]
      ) as news (id, fence, outcome, wait, started_at, url, status, error, message, duration_ms, response_head, response_body)
    ), known as materialized (
      select array_agg(id || ' ' || fence) as keys, array_agg(wait) as waits from news
    ), ours as (
      select news.*, held.*, held.attempts + 1 as number, case
          when outcome = 'delivered' then 'delivered'
          when held.manual or outcome = 'failed' then 'failed'
          when not exists (select 1 from webhooks where webhooks.id = held.webhook_id) then 'cancelled'
        end as final_state
      from news cross join lateral (
        select manual, webhook_id, environment, day, event_id, event_type, directed, attempts, created_at from deliveries
        where deliveries.id = news.id and deliveries.fence = news.fence and leased_until is not null offset 0
      ) as held
    ), again as (
      update deliveries set leased_until = null, sent = false, tries = tries + 1, attempts = attempts + 1,
        due_at = now() + make_interval(secs => ((select waits from known))[${place}])
      where id = any(array(select id from ours where final_state is null)) and ${stillHeld}
      returning id
    ), done as (
      delete from deliveries where id = any(array(select id from ours where final_state is not null)) and ${stillHeld}
      returning id
    ), counted as (
      select * from ours where (id in (select id from again union all select id from done)) is true
    ), finished as (
      insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, because,
        attempts, created_at)
      select day, id, webhook_id, environment, event_id, event_type, directed, final_state,
             case final_state when 'failed' then 'attempts_used_up' when 'cancelled' then 'webhook_deleted' end,
             number, created_at
      from counted where final_state is not null
      on conflict (day, id) do update set attempts = excluded.attempts,
        -- By hand: what comes of it can only make a delivery better.
        state = case when excluded.state = 'delivered' then 'delivered' else finished_deliveries.state end,
        because = case when excluded.state = 'delivered' then null else finished_deliveries.because end,
        finished_at = case when excluded.state = 'delivered' then now() else finished_deliveries.finished_at end
    ), noted as (
      insert into attempts (day, delivery_id, number, started_at, manual, url, status, error, message, duration_ms,
        response_head, response_body)
      select day, id, number, started_at, manual, url, status, error, message, duration_ms, response_head,
             case when outcome = 'delivered' then substr(response_body, 1, ${BYTES_KEPT}) else response_body end
      from counted
      -- The number stands for the attempt; that it was written down twice must not hold up the others.
      on conflict do nothing
    )
    select id, day::text, number, outcome from counted`
  const [, rows] = await Promise.all([byItsKeys(tx), statement])
  const failedAgain = rows.filter(({ outcome, number }) => outcome !== 'delivered' && number > 1)
  if (failedAgain.length > 0) await shortenEarlier(tx, failedAgain)
  return new Set(rows.map(({ id }) => id))
}

type CountedRow = { id: string; day: string; number: number; outcome: string }

/** The failure before these is not the last one any more. */
async function shortenEarlier(tx: DbOrTransaction, rows: readonly CountedRow[]): Promise<void> {
  await tx`
    update attempts set response_body = substr(response_body, 1, ${BYTES_KEPT})
    from unnest(${rows.map(({ day }) => day)}::date[], ${rows.map(({ id }) => id)}::text[],
                ${rows.map(({ number }) => number)}::int[]) as later (day, id, number)
    where attempts.day = later.day and attempts.delivery_id = later.id and attempts.number = later.number - 1
      and octet_length(response_body) > ${BYTES_KEPT}`
}

/** 410: the receiver wants nothing more, ever (decision D5). Answers which webhooks that ended. */
async function disableGone(tx: DbOrTransaction, attempted: readonly Attempted[]): Promise<string[]> {
  const gone = [...new Set(attempted.filter(({ verdict }) => verdict.disable).map(({ claim }) => claim.webhookId))]
  if (gone.length === 0) return []
  const rows = await tx<Array<{ id: string }>>`
    update webhooks set disabled_because = 'gone', version = version + 1, updated_at = now()
    where id in (select id from webhooks where id = any(${gone}) and disabled_because is null order by id for update)
    returning id`
  return rows.map(({ id }) => id)
}

type Health = {
  webhookId: string
  failures: number
  inARow: number
  succeeded: boolean
  pause: number | null
  wait: number | null
}

/**
 * How each webhook fares, in the order in which its attempts ended; a resend by hand does not count (decision D9). A webhook
 * that is well and not at its limit is not touched: its row is the workers' meeting point.
 */
async function noteHealth(tx: DbOrTransaction, attempted: readonly Attempted[]): Promise<void> {
  const healths = [...Map.groupBy(attempted, ({ claim }) => claim.webhookId)].map(([webhookId, theirs]) =>
    healthOf(webhookId, theirs),
  )
  if (healths.length === 0) return
  const failuresNow = tx`case when successes > 0 then in_a_row else consecutive_failures + in_a_row end`
  await tx`
    with news as (
      select * from unnest(
        ${healths.map(({ webhookId }) => webhookId)}::text[], ${healths.map(({ failures }) => failures)}::int[],
        ${healths.map(({ inARow }) => inARow)}::int[], ${healths.map(({ succeeded }) => (succeeded ? 1 : 0))}::int[],
        ${healths.map(({ pause }) => pause)}::float8[], ${healths.map(({ wait }) => wait)}::float8[]
      ) as news (webhook_id, more_failures, in_a_row, successes, pause, wait)
    ), held as (
      select webhook_id from webhook_schedules join news using (webhook_id)
      where capped or more_failures > 0 or (successes > 0 and consecutive_failures > 0) or wait is not null
      order by webhook_id for update of webhook_schedules
    )
    update webhook_schedules set
      consecutive_failures = ${failuresNow},
      failing_since = case
        when successes > 0 and in_a_row = 0 then null
        when successes > 0 then now()
        when more_failures > 0 then coalesce(failing_since, now()) else failing_since end,
      failures = case when successes > 0 then in_a_row else failures + more_failures end,
      warned = case when successes > 0 then 0 else warned end,
      -- A circuit that has just opened waits for its first probe like for every other.
      probe_at = case when ${failuresNow} >= ${CIRCUIT_FAILURES}
        then coalesce(case when successes = 0 then probe_at end, now() + make_interval(secs => ${PROBE_SECONDS})) end,
      not_before = greatest(not_before, now() + make_interval(secs => pause)),
      capped = false,
      due_at = case
        when capped or (successes > 0 and consecutive_failures > 0) then now()
        else least(due_at, now() + make_interval(secs => wait)) end
    from news join held using (webhook_id) where webhook_schedules.webhook_id = news.webhook_id`
}

function healthOf(webhookId: string, attempted: readonly Attempted[]): Health {
  const regular = attempted.filter(({ claim }) => !claim.manual)
  const lastSuccess = regular.findLastIndex(({ verdict }) => verdict.outcome.kind === 'delivered')
  const inARow = regular.length - 1 - lastSuccess
  const pauses = regular.flatMap(({ verdict }) => verdict.pauseSeconds ?? [])
  const waits = attempted.flatMap(({ verdict: { outcome } }) => (outcome.kind === 'retry' ? outcome.afterSeconds : []))
  return {
    webhookId,
    failures: regular.filter(({ verdict }) => verdict.outcome.kind !== 'delivered').length,
    inARow,
    succeeded: lastSuccess >= 0,
    pause: pauses.length === 0 ? null : Math.max(...pauses),
    wait: waits.length === 0 ? null : Math.min(...waits),
  }
}
