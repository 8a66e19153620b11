import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'

/** Long enough to find a phone or to wait for a mail; after that one starts again. */
export const INTERACTION_SECONDS = 30 * 60
const PENDING_SECONDS = 5 * 60

/** Something that waits for its person. Its secret is in the URL; it is good only together with the browser's cookie. */
export type Interaction = {
  secret: string
  /** The query of /authorize, or null for the person's own page. */
  authorizeQuery: string | null
  createdAt: Date
  consentedAt: Date | null
  selectedAt: Date | null
  /** Whose password was right, while their one-time code is awaited. */
  pendingUserId: string | null
}

export async function startInteraction(db: Db, browser: string, authorizeQuery: string | null): Promise<string> {
  const secret = newOpaqueSecret()
  await db`
    insert into interactions (secret_hash, browser_hash, authorize_query, expires_at)
    values (${secretHash(secret)}, ${secretHash(browser)}, ${authorizeQuery}, now() + make_interval(secs => ${INTERACTION_SECONDS}))`
  return secret
}

export async function findInteraction(db: Db, secret: string, browser: string): Promise<Interaction | null> {
  const [row] = await db<
    Array<{
      authorize_query: string | null
      created_at: Date
      consented_at: Date | null
      selected_at: Date | null
      pending_user_id: string | null
    }>
  >`
    select authorize_query, created_at, consented_at, selected_at,
           case when pending_until > now() then pending_user_id end as pending_user_id
    from interactions
    where secret_hash = ${secretHash(secret)} and browser_hash = ${secretHash(browser)} and expires_at > now()`
  if (!row) return null
  return {
    secret,
    authorizeQuery: row.authorize_query,
    createdAt: row.created_at,
    consentedAt: row.consented_at,
    selectedAt: row.selected_at,
    pendingUserId: row.pending_user_id,
  }
}

export async function markConsented(db: DbOrTransaction, secret: string): Promise<void> {
  await db`update interactions set consented_at = now() where secret_hash = ${secretHash(secret)}`
}

export async function markSelected(db: DbOrTransaction, secret: string): Promise<void> {
  await db`update interactions set selected_at = now() where secret_hash = ${secretHash(secret)}`
}

export async function markPending(db: DbOrTransaction, secret: string, userId: string | null): Promise<void> {
  await db`
    update interactions set pending_user_id = ${userId},
      pending_until = case when ${userId !== null} then now() + make_interval(secs => ${PENDING_SECONDS}) end
    where secret_hash = ${secretHash(secret)}`
}

/** Answers whether this call ended it: of two at the same moment, one goes on. */
export async function endInteraction(db: DbOrTransaction, secret: string): Promise<boolean> {
  const ended = await db`delete from interactions where secret_hash = ${secretHash(secret)} returning 1`
  return ended.length === 1
}

const POSTED_SECONDS = 120

/** The body of a cross-site POST, kept for the GET that follows it (decision B11). */
export async function keepPosted(db: Db, path: string, body: string): Promise<string> {
  const secret = newOpaqueSecret()
  await db`
    insert into posted_parameters (secret_hash, path, body, expires_at)
    values (${secretHash(secret)}, ${path}, ${body}, now() + make_interval(secs => ${POSTED_SECONDS}))`
  return secret
}

export async function takePosted(db: Db, path: string, secret: string): Promise<string | null> {
  const [row] = await db<Array<{ body: string }>>`
    delete from posted_parameters where secret_hash = ${secretHash(secret)} and path = ${path} and expires_at > now() returning body`
  return row?.body ?? null
}

/** Anybody can start an interaction; what nobody finished in time goes, in steps that hold no lock for long. */
export async function forgetExpiredInteractions(db: Db): Promise<void> {
  await db`
    delete from interactions where secret_hash in
      (select secret_hash from interactions where expires_at < now() order by expires_at limit 5000)`
  await db`
    delete from posted_parameters where secret_hash in
      (select secret_hash from posted_parameters where expires_at < now() order by expires_at limit 5000)`
}
