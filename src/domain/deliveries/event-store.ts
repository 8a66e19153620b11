import { hash } from 'node:crypto'
import { byItsKeys } from '../../platform/by-its-keys.ts'
import { byteaTexts } from '../../platform/bytea.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import { eventBody, type NewEvent } from './event.ts'
import { wakeSchedules } from './schedule-store.ts'

/** For whom events are meant: everyone they concern, one application's webhooks, or one webhook alone (decision C11). */
export type Aim = { applicationId: string | null; webhookId: string | null }

export const EVERYONE: Aim = { applicationId: null, webhookId: null }

/** In the order of the events. `deliveries` says how many webhooks get it; none for one that was known already. */
export type AcceptedEvent = { id: string; duplicate: boolean; deliveries: number }

export type Intake = { outcome: 'accepted'; events: AcceptedEvent[] } | { outcome: 'other-body'; ids: string[] }

/**
 * Stores events of one environment with a delivery for each webhook that gets one (decisions D1, D2), inside the caller's
 * transaction: when it commits, nothing can be lost any more. `audience` is that of the environment's API.
 */
export async function acceptEvents(
  tx: DbOrTransaction,
  audience: string,
  environment: Environment,
  events: readonly NewEvent[],
  aim: Aim = EVERYONE,
): Promise<Intake> {
  // One plan for one event and for many, also for whatever comes after in this transaction.
  const [, { isNew, now }] = await Promise.all([byItsKeys(tx), takeIds(tx, environment, events)])
  const known = events.filter(({ id }) => !isNew.has(id))
  const changed = known.length === 0 ? [] : await otherBodies(tx, environment, known)
  if (changed.length > 0) {
    await giveBackIds(tx, environment, [...isNew])
    return { outcome: 'other-body', ids: changed }
  }

  const news = [...new Map(events.filter(({ id }) => isNew.has(id)).map((event) => [event.id, event])).values()]
  const counts = news.length === 0 ? new Map<string, number>() : await store(tx, audience, environment, news, aim, now)
  const told = new Set<string>()
  return {
    outcome: 'accepted',
    events: events.map(({ id }) => {
      const duplicate = !isNew.has(id) || told.has(id)
      told.add(id)
      return { id, duplicate, deliveries: duplicate ? 0 : (counts.get(id) ?? 0) }
    }),
  }
}

/** Of any number that come at the same moment with one id, one takes it and the others wait for its commit. */
async function takeIds(
  tx: DbOrTransaction,
  environment: Environment,
  events: readonly NewEvent[],
): Promise<{ isNew: Set<string>; now: Date }> {
  // Sorted, or two batches with the same ids in another order would wait for each other.
  const sorted = events.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const rows = await tx<Array<{ id: string; now: Date }>>`
    insert into event_ids (environment, id, body_hash, day)
    select ${environment}, id, body_hash, (now() at time zone 'utc')::date
    from unnest(${sorted.map(({ id }) => id)}::text[], ${byteaTexts(sorted.map(fingerprint))}::text[]::bytea[]) as news (id, body_hash)
    on conflict do nothing returning id, now() as now`
  return { isNew: new Set(rows.map(({ id }) => id)), now: rows[0]?.now ?? new Date() }
}

/** All or none: what was taken for a batch that is refused must be free when it is sent again. */
async function giveBackIds(tx: DbOrTransaction, environment: Environment, ids: readonly string[]): Promise<void> {
  await tx`delete from event_ids where environment = ${environment} and id = any(${ids})`
}

async function otherBodies(
  tx: DbOrTransaction,
  environment: Environment,
  known: readonly NewEvent[],
): Promise<string[]> {
  const rows = await tx<Array<{ id: string; body_hash: Buffer }>>`
    select id, body_hash from event_ids where environment = ${environment} and id = any(${known.map(({ id }) => id)})`
  const hashes = new Map(rows.map(({ id, body_hash }) => [id, body_hash]))
  return known.filter((event) => hashes.get(event.id)?.equals(fingerprint(event)) === false).map(({ id }) => id)
}

async function store(
  tx: DbOrTransaction,
  audience: string,
  environment: Environment,
  events: readonly NewEvent[],
  aim: Aim,
  now: Date,
): Promise<Map<string, number>> {
  const ids = events.map(({ id }) => id)
  const types = events.map(({ type }) => type)
  const facilityIds = events.map(({ subject }) => ('facilityId' in subject ? subject.facilityId : null))
  const userIds = events.map(({ subject }) => ('userId' in subject ? subject.userId : null))
  await tx`
    insert into events (day, environment, id, type, facility_id, user_id, body)
    select (now() at time zone 'utc')::date, ${environment}, id, type, facility_id, user_id, body
    from unnest(${ids}::text[], ${types}::text[], ${facilityIds}::text[], ${userIds}::text[],
                ${events.map((event) => eventBody(event, now))}::text[]) as news (id, type, facility_id, user_id, body)`
  const made = await tx<Array<{ event_id: string; webhook_id: string }>>`
    with news as (
      select * from unnest(${ids}::text[], ${types}::text[], ${facilityIds}::text[], ${userIds}::text[])
        as news (id, type, facility_id, user_id)
    ), matched as (${
      aim.webhookId === null
        ? matches(tx, audience, environment, aim.applicationId)
        : tx`
      select news.id as event_id, news.type, webhooks.id as webhook_id
      from news, webhooks where webhooks.id = ${aim.webhookId}`
    }
    ), made as (
      insert into deliveries (id, webhook_id, environment, day, event_id, event_type, directed)
      select new_id('dlv'), webhook_id, ${environment}, (now() at time zone 'utc')::date, event_id, type,
             ${aim.webhookId !== null}
      from matched
    )
    select event_id, webhook_id from matched`
  const webhookIds = made.map(({ webhook_id }) => webhook_id)
  await wakeSchedules(tx, webhookIds)
  const counts = new Map<string, number>()
  for (const { event_id } of made) counts.set(event_id, (counts.get(event_id) ?? 0) + 1)
  return counts
}

/** Who gets an event (decision D2). Types match exactly; a disabled webhook gets it too, for later. */
function matches(tx: DbOrTransaction, audience: string, environment: Environment, applicationId: string | null) {
  const ours = applicationId === null ? tx`` : tx`and webhooks.application_id = ${applicationId}`
  const subscribed = tx`webhooks.environment = ${environment} and webhooks.events && array[news.type, 'all'] ${ours}`
  // One event after the other (offset 0 keeps it so): for a large batch the planner would rather read every webhook there is.
  return tx`
    select news.id as event_id, news.type, found.webhook_id from news cross join lateral (
      select webhooks.id as webhook_id from webhook_facilities as listed
      join webhooks on webhooks.id = listed.webhook_id
      where listed.environment = ${environment} and listed.facility_id = news.facility_id
        and webhooks.kind = 'facility' and ${subscribed}
        and case when webhooks.user_id is null
          then exists (select 1 from facility_connections as c where c.environment = ${environment}
                       and c.facility_id = news.facility_id and c.application_id = webhooks.application_id)
          else exists (select 1 from facility_access as a where a.environment = ${environment}
                       and a.facility_id = news.facility_id and a.user_id = webhooks.user_id) end
      offset 0
    ) as found
    union all
    select news.id, news.type, found.webhook_id from news cross join lateral (
      select webhooks.id as webhook_id from consents
      join webhooks on webhooks.application_id = consents.application_id and webhooks.user_id = consents.user_id
      where consents.user_id = news.user_id and consents.audience = ${audience} and webhooks.kind = 'user' and ${subscribed}
      union all
      select webhooks.id from consents
      join webhooks on webhooks.application_id = consents.application_id and webhooks.user_id is null
      where consents.user_id = news.user_id and consents.audience = ${audience} and webhooks.kind = 'user' and ${subscribed}
      offset 0
    ) as found`
}

/** What makes two events with one id the same: everything that was said of it, to the byte. */
function fingerprint({ type, subject, occurredAt, data }: NewEvent): Buffer {
  return hash('sha256', JSON.stringify([type, subject, occurredAt, data]), 'buffer')
}
