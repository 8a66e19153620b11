import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import { openSecrets, sealSecrets } from './sealed-secrets.ts'
import type { DisabledReason, Webhook, WebhookChange, WebhookKind, WebhookOwner } from './webhook.ts'
import { plainWebhookFrom, type WebhookRow } from './webhook-row.ts'

/** Who looks: the application itself sees what its people registered too, a person only their own (decision C4). */
export type Viewer = WebhookOwner

/** The API asks for one kind; the portal has both in one list. */
export type AskedKind = WebhookKind | 'either'

type WholeRow = WebhookRow & { facilities: string[]; secrets_sealed: Buffer; version: number }

export type NewWebhook = WebhookOwner &
  Pick<Webhook, 'id' | 'kind' | 'url' | 'events' | 'facilities' | 'secrets'> & { listener?: string }

/**
 * Null when the owner has as many of this kind as they may. What the webhook refers to is held before anything is counted,
 * in the order in which deletions hold it; otherwise a deletion and this statement could wait for each other.
 */
export async function insertWebhook(
  db: DbOrTransaction,
  cipher: Cipher,
  webhook: NewWebhook,
  limit: number,
): Promise<Webhook | null> {
  const { id, kind, environment, applicationId, userId, url, events, facilities, secrets, listener = null } = webhook
  const [row] = await db<Array<{ created_at: Date }>>`
    with application as (
      select 1 from applications where id = ${applicationId} for key share
    ), person as (
      select 1 from users where id = ${userId} for key share
    ), places as (
      ${facilitiesHeld(db, environment, facilities)}
    ), room as (
      insert into webhook_counts (application_id, environment, kind, user_id, webhooks)
      select ${applicationId}, ${environment}, ${kind}, ${userId ?? ''}, 1
      where ${limit}::int > 0 and
        (select count(*) from application) + (select count(*) from person) + (select count(*) from places) >= 0
      on conflict (application_id, environment, kind, user_id)
        do update set webhooks = webhook_counts.webhooks + 1 where webhook_counts.webhooks < ${limit}
      returning 1
    ), made as (
      insert into webhooks (id, kind, environment, application_id, user_id, url, events, secrets_sealed, listener)
      select ${id}, ${kind}, ${environment}, ${applicationId}, ${userId}, ${url}, ${events}::text[],
             ${sealSecrets(cipher, id, secrets)}::bytea, ${listener}
      from room
      returning id, created_at
    ), placed as (
      insert into webhook_facilities (webhook_id, environment, facility_id, position)
      select made.id, ${environment}, given.facility_id, given.position
      from made, unnest(${facilities}::text[]) with ordinality as given (facility_id, position)
    ), scheduled as (
      insert into webhook_schedules (webhook_id) select id from made
    )
    select created_at from made`
  return row ? madeNow(webhook, row.created_at) : null
}

/** As it is when it was just inserted. */
export function madeNow(webhook: NewWebhook, createdAt: Date): Webhook {
  return { listener: null, ...webhook, disabledBecause: null, version: 1, createdAt, updatedAt: createdAt }
}

export async function findWebhook(
  db: DbOrTransaction,
  cipher: Cipher,
  viewer: Viewer,
  kind: AskedKind,
  id: string,
): Promise<Webhook | null> {
  const [row] = await db<WholeRow[]>`
    select ${webhookColumns(db)} from webhooks where id = ${id} and ${visible(db, viewer, kind)}`
  return row ? fromRow(cipher, row) : null
}

/** As `findWebhook`, and nobody else changes it until the transaction ends. */
export async function holdWebhook(
  tx: DbOrTransaction,
  cipher: Cipher,
  viewer: Viewer,
  kind: AskedKind,
  id: string,
): Promise<Webhook | null> {
  const [row] = await tx<WholeRow[]>`
    select ${webhookColumns(tx)} from webhooks where id = ${id} and ${visible(tx, viewer, kind)} for update`
  return row ? fromRow(cipher, row) : null
}

/** Newest first; `before` is the last id of the page before this one. */
export async function listWebhooks(
  db: DbOrTransaction,
  cipher: Cipher,
  viewer: Viewer,
  kind: WebhookKind,
  page: { before: string | null; limit: number },
): Promise<Webhook[]> {
  const rows = await db<WholeRow[]>`
    select ${webhookColumns(db)} from webhooks
    where ${visible(db, viewer, kind)} ${page.before === null ? db`` : db`and id < ${page.before}`}
    order by id desc limit ${page.limit}`
  return rows.map((row) => fromRow(cipher, row))
}

/** Of a webhook that is held, so that two changes never mix. */
export async function changeWebhook(
  tx: DbOrTransaction,
  cipher: Cipher,
  held: Webhook,
  change: WebhookChange,
): Promise<Webhook> {
  const { url, events, secrets } = { ...held, ...change }
  const [row] = await tx<Array<{ version: number; updated_at: Date }>>`
    update webhooks set url = ${url}, events = ${events}, secrets_sealed = ${sealSecrets(cipher, held.id, secrets)},
      version = version + 1, updated_at = now()
    where id = ${held.id} returning version, updated_at`
  if (change.facilities !== undefined) await replaceFacilities(tx, held, change.facilities)
  return {
    ...held,
    ...change,
    version: row?.version ?? held.version,
    updatedAt: row?.updated_at ?? held.updatedAt,
  }
}

async function replaceFacilities(
  tx: DbOrTransaction,
  { id, environment }: Webhook,
  facilities: readonly string[],
): Promise<void> {
  await facilitiesHeld(tx, environment, facilities)
  await tx`delete from webhook_facilities where webhook_id = ${id}`
  await tx`
    insert into webhook_facilities (webhook_id, environment, facility_id, position)
    select ${id}, ${environment}, facility_id, position
    from unnest(${facilities}::text[]) with ordinality as given (facility_id, position)`
}

/** None of them goes before the transaction ends; who deletes them holds them in the same order. */
function facilitiesHeld(db: DbOrTransaction, environment: Environment, ids: readonly string[]) {
  return db`
    select 1 from facilities where environment = ${environment} and id = any(${ids}::text[]) order by id for key share`
}

export async function setDisabled(
  tx: DbOrTransaction,
  held: Webhook,
  because: DisabledReason | null,
): Promise<Webhook> {
  const [row] = await tx<Array<{ version: number; updated_at: Date }>>`
    update webhooks set disabled_because = ${because}, version = version + 1, updated_at = now()
    where id = ${held.id} returning version, updated_at`
  return {
    ...held,
    disabledBecause: because,
    version: row?.version ?? held.version,
    updatedAt: row?.updated_at ?? held.updatedAt,
  }
}

export async function deleteWebhook(tx: DbOrTransaction, id: string): Promise<void> {
  await tx`delete from webhooks where id = ${id}`
}

function visible(db: DbOrTransaction, { applicationId, environment, userId }: Viewer, kind: AskedKind) {
  return db`
    application_id = ${applicationId} and environment = ${environment} ${kind === 'either' ? db`` : db`and kind = ${kind}`}
    ${userId === null ? db`` : db`and user_id = ${userId}`}`
}

function webhookColumns(db: DbOrTransaction) {
  return db`
    id, kind, environment, application_id, user_id, url, events, secrets_sealed, disabled_because, listener, version,
    created_at, updated_at,
    array(select facility_id from webhook_facilities where webhook_id = webhooks.id order by position) as facilities`
}

function fromRow(cipher: Cipher, row: WholeRow): Webhook {
  const secrets = openSecrets(cipher, row.id, row.secrets_sealed)
  return { ...plainWebhookFrom(row), facilities: row.facilities, secrets, version: row.version }
}
