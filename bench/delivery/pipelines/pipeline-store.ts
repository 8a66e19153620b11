import type { Db, DbOrTransaction } from '../../../src/platform/db.ts'
import type { NewEvent } from '../publish.ts'
import { SECRET, webhooksOfScene } from '../scene.ts'

/** One delivery to make, as the queue carries it: with the body, so that a worker has nothing to look up but the webhook. */
export type DeliveryJob = { eventId: string; webhookId: string; body: string }

export type Attempt = { eventId: string; webhookId: string; status: number; durationMs: number }

export type Target = { url: string; secret: string }

/** The tables that somebody needs beside a job queue, with the same webhooks as ours. */
export async function createTables(db: Db, receiverPort: number): Promise<void> {
  await db`
    create table webhooks (id text primary key, facility_id text not null, url text not null, secret text not null,
      events text[] not null)`
  await db`create index webhooks_facility_id on webhooks (facility_id)`
  await db`
    create table events (id text primary key, type text not null, facility_id text not null, data jsonb not null,
      created_at timestamptz not null default now())`
  await db`
    create table attempts (event_id text not null, webhook_id text not null, status int not null, duration_ms int not null,
      at timestamptz not null default now())`
  await db`create index attempts_webhook_id on attempts (webhook_id, at)`
  const webhooks = webhooksOfScene(receiverPort).map(({ facilityId, url }, number) => ({
    id: `whk_${number}`,
    facility_id: facilityId,
    url,
    secret: SECRET,
    events: ['shift.created'],
  }))
  for (const webhook of webhooks) await db`insert into webhooks ${db(webhook)}`
  await db`vacuum analyze`
}

/** Stores a batch and answers which webhook gets which of its events: one statement. Events that are known already are not sent again. */
export async function storeEvents(
  tx: DbOrTransaction,
  events: readonly NewEvent[],
): Promise<Array<{ event_id: string; webhook_id: string }>> {
  const ids = events.map(({ id }) => id)
  const types = events.map(({ type }) => type)
  const facilityIds = events.map(({ facilityId }) => facilityId)
  const data = events.map((event) => JSON.stringify(event.data))
  return tx`
    with stored as (
      insert into events (id, type, facility_id, data)
      select * from unnest(${ids}::text[], ${types}::text[], ${facilityIds}::text[], ${data}::jsonb[])
      on conflict do nothing returning id, type, facility_id
    )
    select stored.id as event_id, webhooks.id as webhook_id
    from stored join webhooks on webhooks.facility_id = stored.facility_id and stored.type = any(webhooks.events)`
}

export async function readTargets(db: Db): Promise<Map<string, Target>> {
  const rows = await db<Array<Target & { id: string }>>`select id, url, secret from webhooks`
  return new Map(rows.map(({ id, url, secret }) => [id, { url, secret }]))
}

export async function recordAttempts(db: Db, attempts: readonly Attempt[]): Promise<void> {
  await db`
    insert into attempts (event_id, webhook_id, status, duration_ms)
    select * from unnest(${attempts.map(({ eventId }) => eventId)}::text[],
      ${attempts.map(({ webhookId }) => webhookId)}::text[], ${attempts.map(({ status }) => status)}::int[],
      ${attempts.map(({ durationMs }) => durationMs)}::int[])`
}
