import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { WebhookKind } from '../webhooks/webhook.ts'
import { findWebhook, holdWebhook } from '../webhooks/webhook-store.ts'
import { type Listener, type ListenerPlace, MOST_LISTENERS } from './listener.ts'

/** Null when the application has as many as it may. Of any number that come at once, one makes it and the others wait. */
export async function insertListener(
  tx: DbOrTransaction,
  { applicationId, name }: ListenerPlace,
): Promise<'made' | 'known' | null> {
  const known = await tx`select 1 from listeners where application_id = ${applicationId} and name = ${name} for update`
  if (known.length > 0) return 'known'
  await tx`select pg_advisory_xact_lock(hashtextextended('listeners ' || ${applicationId}, 0))`
  // Those whose webhooks were deleted one by one are seen by nobody, and must not count.
  await tx`
    delete from listeners where application_id = ${applicationId} and name <> ${name} and not exists (
      select 1 from webhooks where webhooks.application_id = ${applicationId} and webhooks.listener = listeners.name)`
  const made = await tx`
    insert into listeners (application_id, name) select ${applicationId}, ${name}
    where (select count(*) from listeners where application_id = ${applicationId} and name <> ${name}) < ${MOST_LISTENERS}
    on conflict do nothing returning 1`
  if (made.length > 0) return 'made'
  const held = await tx`select 1 from listeners where application_id = ${applicationId} and name = ${name} for update`
  return held.length > 0 ? 'known' : null
}

export async function findListener(
  db: DbOrTransaction,
  cipher: Cipher,
  place: ListenerPlace,
): Promise<Listener | null> {
  return readListener(db, cipher, place, findWebhook)
}

/** As `findListener`, and nobody else changes its webhooks until the transaction ends. */
export async function holdListener(
  tx: DbOrTransaction,
  cipher: Cipher,
  place: ListenerPlace,
): Promise<Listener | null> {
  return readListener(tx, cipher, place, holdWebhook)
}

type Rows = Array<{ created_at: Date; kind: WebhookKind | null; webhook_id: string | null }>

async function readListener(
  db: DbOrTransaction,
  cipher: Cipher,
  { applicationId, name }: ListenerPlace,
  read: typeof findWebhook,
): Promise<Listener | null> {
  const rows = await db<Rows>`
    select listeners.created_at, kind, webhooks.id as webhook_id from listeners
    left join webhooks on webhooks.application_id = listeners.application_id and webhooks.listener = listeners.name
    where listeners.application_id = ${applicationId} and name = ${name}`
  const [first] = rows
  if (first === undefined) return null
  const viewer = { applicationId, environment: 'sandbox' as const, userId: null }
  const webhook = async (kind: WebhookKind) => {
    const id = rows.find((row) => row.kind === kind)?.webhook_id ?? null
    return id === null ? null : read(db, cipher, viewer, kind, id)
  }
  return {
    applicationId,
    name,
    createdAt: first.created_at,
    facilityWebhook: await webhook('facility'),
    userWebhook: await webhook('user'),
  }
}

/** Its webhooks go along, and what waited for them is cancelled. Answers whether there was one. */
export async function deleteListener(db: DbOrTransaction, { applicationId, name }: ListenerPlace): Promise<boolean> {
  const rows = await db`
    delete from listeners where application_id = ${applicationId} and name = ${name} returning 1`
  return rows.length > 0
}

/** The number of the stream that is handed everything from now on; null when there is no such listener. */
export async function openStream(db: DbOrTransaction, { applicationId, name }: ListenerPlace): Promise<number | null> {
  const [row] = await db<Array<{ stream: number }>>`
    update listeners set stream = stream % 2147483647 + 1
    where application_id = ${applicationId} and name = ${name} returning stream`
  return row?.stream ?? null
}

/** What waits to be fetched, and how many of those were handed out before. */
export type Waiting = { count: number; handedOut: number }

/** Until here they are counted. */
const MOST_COUNTED = 10_000

/** The longest waiting are counted: it is among them that something was handed out. */
export async function countWaiting(
  db: DbOrTransaction,
  { applicationId, name }: ListenerPlace,
  most = MOST_COUNTED,
): Promise<Waiting> {
  const [row] = await db<Array<{ waiting: number; handed_out: number }>>`
    select count(*)::int as waiting, count(*) filter (where sent)::int as handed_out from (
      select sent from webhooks join deliveries on deliveries.webhook_id = webhooks.id
      where webhooks.application_id = ${applicationId} and webhooks.listener = ${name} and webhooks.disabled_because is null
        and deliveries.state = 'pending'
      order by due_at limit ${most}
    ) as waiting`
  return { count: row?.waiting ?? 0, handedOut: row?.handed_out ?? 0 }
}
