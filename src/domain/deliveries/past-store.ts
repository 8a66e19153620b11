import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import type { DisabledReason } from '../webhooks/webhook.ts'
import type { Attempt } from './attempt-list-store.ts'
import { eventBody, type NewEvent } from './event.ts'
import type { ReplayRange } from './replay.ts'

/** What became of a delivery, or when it is tried next. */
export type Fate =
  | { state: 'delivered' | 'failed' | 'cancelled'; because: string | null; finishedAt: Date }
  | { state: 'pending' | 'held'; dueAt: Date }

/** A delivery that is to look as if it had been made then, with its event and what was tried so far, the first attempt first. */
export type PastDelivery = {
  id: string
  webhookId: string
  event: NewEvent
  directed: boolean
  createdAt: Date
  fate: Fate
  attempts: ReadonlyArray<Omit<Attempt, 'number'>>
}

/** Tables for the five days before today, most of which nobody else needs. As ensure_delivery_days, and behind the same lock. */
export async function ensurePastDays(tx: DbOrTransaction): Promise<void> {
  await tx`
    do $$
    declare
      noun text;
      d date;
    begin
      perform pg_advisory_xact_lock(hashtextextended('delivery days', 0));
      foreach noun in array array['events', 'finished_deliveries', 'attempts'] loop
        for d in select (now() at time zone 'utc')::date - ago from generate_series(2, 5) as ago loop
          if to_regclass(format('%I', noun || to_char(d, '_YYYYMMDD'))) is null then
            execute format('create table %I (like %I including defaults including constraints)', noun || to_char(d, '_YYYYMMDD'), noun);
            execute format('alter table %I attach partition %I for values from (%L) to (%L)',
              noun, noun || to_char(d, '_YYYYMMDD'), d, d + 1);
          end if;
        end loop;
      end loop;
    end $$`
}

/** For a demo, whose pages would be empty otherwise. Nobody is woken: what waits is sent when it is due. */
export async function insertPastDeliveries(
  tx: DbOrTransaction,
  environment: Environment,
  deliveries: readonly PastDelivery[],
): Promise<void> {
  const rows = deliveries.map(rowOf)
  await tx`
    with news as materialized (
      select *, (created_at at time zone 'utc')::date as day from jsonb_to_recordset(${tx.json(rows)}) as news (
        id text, webhook_id text, event_id text, event_type text, facility_id text, user_id text, body text, directed boolean,
        state text, because text, created_at timestamptz, finished_at timestamptz, due_at timestamptz, attempts jsonb)
    ), ids as (
      insert into event_ids (environment, id, body_hash, day)
      select ${environment}, event_id, sha256(convert_to(body, 'utf8')), day from news
    ), happened as (
      insert into events (day, environment, id, type, facility_id, user_id, body, created_at)
      select day, ${environment}, event_id, event_type, facility_id, user_id, body, created_at from news
    ), waiting as (
      insert into deliveries (id, webhook_id, environment, day, event_id, event_type, directed, state, due_at, tries, attempts,
        created_at)
      select id, webhook_id, ${environment}, day, event_id, event_type, directed, state, due_at, jsonb_array_length(attempts),
             jsonb_array_length(attempts), created_at
      from news where due_at is not null
    ), finished as (
      insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, because,
        attempts, created_at, finished_at)
      select day, id, webhook_id, ${environment}, event_id, event_type, directed, state, because, jsonb_array_length(attempts),
             created_at, finished_at
      from news where finished_at is not null
    )
    insert into attempts (day, delivery_id, number, started_at, manual, url, status, error, message, duration_ms,
      response_head, response_body)
    select day, news.id, attempt.number, "startedAt", manual, url, status, error, message, "durationMs", "responseHead",
           convert_to("responseBody", 'utf8')
    from news cross join lateral rows from (jsonb_to_recordset(attempts) as (
      "startedAt" timestamptz, manual boolean, url text, status int, error text, message text, "durationMs" int,
      "responseHead" text, "responseBody" text)) with ordinality as attempt (
      "startedAt", manual, url, status, error, message, "durationMs", "responseHead", "responseBody", number)`
}

function rowOf({ id, webhookId, event, directed, createdAt, fate, attempts }: PastDelivery) {
  const { subject } = event
  return {
    id,
    webhook_id: webhookId,
    event_id: event.id,
    event_type: event.type,
    facility_id: 'facilityId' in subject ? subject.facilityId : null,
    user_id: 'userId' in subject ? subject.userId : null,
    body: eventBody(event, createdAt),
    directed,
    state: fate.state,
    because: 'because' in fate ? fate.because : null,
    created_at: createdAt.toISOString(),
    finished_at: 'finishedAt' in fate ? fate.finishedAt.toISOString() : null,
    due_at: 'dueAt' in fate ? fate.dueAt.toISOString() : null,
    attempts: attempts.map(({ startedAt, responseBody, ...attempt }) => ({
      ...attempt,
      startedAt: startedAt.toISOString(),
      responseBody: responseBody?.toString() ?? null,
    })),
  }
}

/** How a webhook is said to have fared. `failing` is null for one whose last attempt succeeded. */
export type PastStanding = {
  createdAt: Date
  disabledBecause: DisabledReason | null
  failing: { since: Date; failures: number } | null
}

/** Of a webhook that was made in the same transaction; its deliveries are there already. */
export async function datePastWebhook(
  tx: DbOrTransaction,
  webhookId: string,
  { createdAt, disabledBecause, failing }: PastStanding,
): Promise<void> {
  const failures = failing?.failures ?? 0
  await tx`
    update webhooks set created_at = ${createdAt}, updated_at = ${createdAt}, disabled_because = ${disabledBecause}
    where id = ${webhookId}`
  await tx`
    with next as (
      select coalesce(min(due_at), 'infinity') as due_at from deliveries
      where webhook_id = ${webhookId} and state = 'pending' and ${disabledBecause}::text is null
    )
    update webhook_schedules set due_at = next.due_at, failing_since = ${failing?.since ?? null}, failures = ${failures},
      consecutive_failures = ${failures}, probe_at = case when ${failures}::int > 0 then next.due_at end
    from next where webhook_id = ${webhookId}`
}

/** A replay that somebody thought better of: it was cancelled before it took anything up, so no delivery tells of it. */
export type PastReplay = ReplayRange & { id: string; webhookId: string; total: number; at: Date }

export async function insertPastReplay(
  tx: DbOrTransaction,
  { id, webhookId, from, to, states, total, at }: PastReplay,
): Promise<void> {
  await tx`
    insert into replays (id, webhook_id, created_from, created_until, states, total, created_at, finished_at, cancelled_at)
    values (${id}, ${webhookId}, ${from}, ${to}, ${states}, ${total}, ${at}, ${at}, ${at})`
}
