import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import { sealSecrets } from './sealed-secrets.ts'
import type { Webhook } from './webhook.ts'
import { madeNow, type NewWebhook } from './webhook-store.ts'

/** A webhook, and how many of its kind the owner may have. */
export type AskedWebhook = { webhook: Omit<NewWebhook, 'listener'>; limit: number }

/**
 * Makes the webhooks of different owners, or kinds, in one statement, and answers them in their order (decision record 96).
 * It waits for nobody, but for whoever makes the first webhook of the same owner at the same moment elsewhere: what refers to a
 * row that somebody holds, what names a facility that its owner does not see, and what the owner has no room for, is null; why,
 * can only be found out alone.
 */
export async function insertWebhooks(
  db: DbOrTransaction,
  cipher: Cipher,
  environment: Environment,
  asked: readonly AskedWebhook[],
): Promise<Array<Webhook | null>> {
  const people = asked.flatMap(({ webhook }) => webhook.userId ?? [])
  const facilities = asked.flatMap(({ webhook }) => webhook.facilities)
  const rows = await db<Array<{ id: string; created_at: Date }>>`
    with asked as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(asked.map((each) => rowOf(cipher, each)))}::text::jsonb) as asked (
        id text, kind text, application_id text, user_id text, counted_for text, url text, events text[], facilities text[],
        secrets_sealed bytea, most int)
    ), application as (
      select id from applications where id = any(${asked.map(({ webhook }) => webhook.applicationId)}::text[])
      order by id for key share skip locked
    ), person as (
      select id from users where id = any(${people}::text[]) order by id for key share skip locked
    ), place as (
      select id from facilities where environment = ${environment} and id = any(${facilities}::text[])
      order by id for key share skip locked
    ), held as materialized (
      select array(select id from application) as applications, array(select id from person) as people,
             array(select id from place) as facilities
    ), counted as (
      select asked.id
      from asked join webhook_counts on webhook_counts.application_id = asked.application_id
        and webhook_counts.environment = ${environment} and webhook_counts.kind = asked.kind
        and webhook_counts.user_id = counted_for
      for update of webhook_counts skip locked
    ), room as (
      insert into webhook_counts (application_id, environment, kind, user_id, webhooks)
      select asked.application_id, ${environment}, asked.kind, counted_for, 1
      from asked, held
      where most > 0 and asked.application_id = any(held.applications)
        and (asked.user_id is null or asked.user_id = any(held.people)) and asked.facilities <@ held.facilities
        and cardinality(asked.facilities) = case when asked.user_id is null
          then (select count(*) from facility_connections where application_id = asked.application_id
                  and environment = ${environment} and facility_id = any(asked.facilities))
          else (select count(*) from facility_access where user_id = asked.user_id
                  and environment = ${environment} and facility_id = any(asked.facilities))
        end
        and (id in (select id from counted) or not exists (
          select 1 from webhook_counts where webhook_counts.application_id = asked.application_id
            and webhook_counts.environment = ${environment} and webhook_counts.kind = asked.kind
            and webhook_counts.user_id = counted_for))
      order by 1, 3, 4
      on conflict (application_id, environment, kind, user_id)
        do update set webhooks = webhook_counts.webhooks + 1 where webhook_counts.webhooks < (
          select most from asked where asked.application_id = excluded.application_id and asked.kind = excluded.kind
            and counted_for = excluded.user_id)
      returning application_id, kind, user_id
    ), made as (
      insert into webhooks (id, kind, environment, application_id, user_id, url, events, secrets_sealed)
      select id, kind, ${environment}, application_id, user_id, url, events, secrets_sealed
      from asked where (application_id, kind, counted_for) in (select application_id, kind, user_id from room)
      returning id, created_at
    ), placed as (
      insert into webhook_facilities (webhook_id, environment, facility_id, position)
      select id, ${environment}, given.facility_id, given.position
      from made join asked using (id), unnest(facilities) with ordinality as given (facility_id, position)
    ), scheduled as (
      insert into webhook_schedules (webhook_id) select id from made
    )
    select id, created_at from made`
  const madeAt = new Map(rows.map(({ id, created_at }) => [id, created_at]))
  return asked.map(({ webhook }) => {
    const createdAt = madeAt.get(webhook.id)
    return createdAt === undefined ? null : madeNow(webhook, createdAt)
  })
}

function rowOf(cipher: Cipher, { webhook, limit }: AskedWebhook) {
  const { id, kind, applicationId, userId, url, events, facilities, secrets } = webhook
  return {
    id,
    kind,
    application_id: applicationId,
    user_id: userId,
    counted_for: userId ?? '',
    url,
    events,
    facilities,
    secrets_sealed: `\\x${sealSecrets(cipher, id, secrets).toString('hex')}`,
    most: limit,
  }
}
