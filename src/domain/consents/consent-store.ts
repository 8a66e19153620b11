import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { revokePerson } from '../tokens/revocation-store.ts'

export type ConsentTarget = { userId: string; applicationId: string; audience: string | null }

/** The scopes a person has allowed an application for an audience; null when they were never asked or took it back. */
export async function allowedScope(
  db: DbOrTransaction,
  { userId, applicationId, audience }: ConsentTarget,
): Promise<string[] | null> {
  const [row] = await db<Array<{ scope: string[] }>>`
    select scope from consents
    where user_id = ${userId} and application_id = ${applicationId} and audience = ${audience ?? ''}`
  return row?.scope ?? null
}

/** What is allowed again adds to what was allowed before. */
export async function allowScope(
  db: DbOrTransaction,
  { userId, applicationId, audience }: ConsentTarget,
  scope: string[],
): Promise<void> {
  await db`
    insert into consents as known (user_id, application_id, audience, scope)
    values (${userId}, ${applicationId}, ${audience ?? ''}, ${scope})
    on conflict (user_id, application_id, audience) do update
      set scope = array(select distinct word from unnest(known.scope || excluded.scope) as word order by word),
          granted_at = case when known.scope @> excluded.scope then known.granted_at else now() end`
}

/** The first of them, in no order that means anything: whoever allowed the application to use an API for them. */
export async function peopleWhoAllowed(
  db: DbOrTransaction,
  applicationId: string,
  audience: string,
  limit: number,
): Promise<string[]> {
  const rows = await db<Array<{ user_id: string }>>`
    select user_id from consents where application_id = ${applicationId} and audience = ${audience}
    order by user_id limit ${limit}`
  return rows.map((row) => row.user_id)
}

/** Taking it back ends the codes, the refresh tokens and, within a second, the access tokens of that application (decision B21). */
export async function revokeConsent(db: Db, userId: string, applicationId: string): Promise<void> {
  await transaction(db, (tx) => takeBackConsent(tx, userId, applicationId))
}

/** As `revokeConsent`, inside a transaction. */
export async function takeBackConsent(tx: DbOrTransaction, userId: string, applicationId: string): Promise<void> {
  await tx`delete from consents where user_id = ${userId} and application_id = ${applicationId}`
  await revokePerson(tx, { userId, applicationId }, 'consent revoked')
}

/** For who inherits nothing of what was allowed under their name; what was given for it is revoked beside this. */
export async function forgetConsents(tx: DbOrTransaction, userIds: readonly string[]): Promise<void> {
  await tx`delete from consents where user_id = any(${userIds})`
}

export type ConnectedApplication = {
  id: string
  name: string
  logoUrl: string | null
  scope: string[]
  audiences: string[]
  since: Date
}

export async function connectedApplications(db: Db, userId: string): Promise<ConnectedApplication[]> {
  const rows = await db<
    Array<{ id: string; name: string; logo_url: string | null; scope: string[]; audiences: string[]; since: Date }>
  >`
    select applications.id, applications.name, applications.logo_url, min(granted_at) as since,
           array_remove(array_agg(distinct audience), '') as audiences,
           array(select distinct word from consents c, unnest(c.scope) as word
                 where c.user_id = ${userId} and c.application_id = applications.id order by word) as scope
    from consents join applications on applications.id = consents.application_id and applications.deleted_at is null
    where consents.user_id = ${userId}
    group by applications.id order by applications.name`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    logoUrl: row.logo_url,
    scope: row.scope,
    audiences: row.audiences,
    since: row.since,
  }))
}
