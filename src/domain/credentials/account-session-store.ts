import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { type SessionSummary, type SessionSummaryRow, sessionSummaryFrom } from '../sessions/session-summary.ts'
import { foldLogin } from '../users/user.ts'
import type { AccountKind } from './account-kind.ts'

/** Seen again within this time is not written down: reading a page should not cost a write. */
export const SEEN_STEP_SECONDS = 300

/** A new session with a new id at every login (decision B19), and the browser counts as theirs. */
export async function startAccountSession(
  tx: DbOrTransaction,
  { tables, owner, absoluteSeconds }: AccountKind,
  id: string,
  browser: { id: string; userAgent: string; address: string },
): Promise<{ cookie: string; sid: string }> {
  const cookie = newOpaqueSecret()
  const sid = newId('ses')
  await tx`
    insert into ${tx(tables.browsers)} (${tx(owner)}, browser_hash) values (${id}, ${secretHash(browser.id)})
    on conflict (${tx(owner)}, browser_hash) do update set seen_at = now()`
  await tx`
    insert into ${tx(tables.sessions)} (secret_hash, sid, ${tx(owner)}, expires_at, user_agent, address)
    values (${secretHash(cookie)}, ${sid}, ${id}, now() + make_interval(secs => ${absoluteSeconds}),
            ${browser.userAgent.slice(0, 300)}, ${browser.address})`
  return { cookie, sid }
}

/** What a session says of itself, whatever else its kind keeps in it. Null when it is over. */
export async function findAccountSession(
  db: Db,
  { tables, owner, idleSeconds }: AccountKind,
  cookie: string,
): Promise<{ sid: string; accountId: string; authTime: Date } | null> {
  const [row] = await db<Array<{ sid: string; account_id: string; auth_time: Date; stale: boolean }>>`
    select sid, ${db(owner)} as account_id, auth_time,
           last_seen_at < now() - make_interval(secs => ${SEEN_STEP_SECONDS}) as stale
    from ${db(tables.sessions)}
    where secret_hash = ${secretHash(cookie)} and ended_at is null and expires_at > now()
      and last_seen_at > now() - make_interval(secs => ${idleSeconds})`
  if (!row) return null
  if (row.stale) await db`update ${db(tables.sessions)} set last_seen_at = now() where sid = ${row.sid}`
  return { sid: row.sid, accountId: row.account_id, authTime: row.auth_time }
}

/** Ends a session if it is this account's. Answers whether there was one to end. */
export async function endAccountSession(
  tx: DbOrTransaction,
  { tables, owner }: AccountKind,
  id: string,
  sid: string,
): Promise<boolean> {
  const ended = await tx`
    update ${tx(tables.sessions)} set ended_at = now()
    where sid = ${sid} and ${tx(owner)} = ${id} and ended_at is null returning 1`
  return ended.length === 1
}

/** Answers how many were ended; `except` is the one that asks. */
export async function endOtherAccountSessions(
  tx: DbOrTransaction,
  { tables, owner }: AccountKind,
  id: string,
  except: string | null,
): Promise<number> {
  const ended = await tx`
    update ${tx(tables.sessions)} set ended_at = now()
    where ${tx(owner)} = ${id} and ended_at is null and sid is distinct from ${except} returning 1`
  return ended.length
}

export async function listAccountSessions(
  db: Db,
  { tables, owner, idleSeconds }: AccountKind,
  id: string,
): Promise<SessionSummary[]> {
  const rows = await db<SessionSummaryRow[]>`
    select sid, user_agent, address, auth_time, last_seen_at from ${db(tables.sessions)}
    where ${db(owner)} = ${id} and ended_at is null and expires_at > now()
      and last_seen_at > now() - make_interval(secs => ${idleSeconds})
    order by last_seen_at desc limit 50`
  return rows.map(sessionSummaryFrom)
}

/** Whether the owner of this address signed in with this browser before (decision B18). */
export async function isAccountsBrowser(
  db: Db,
  { tables, owner }: AccountKind,
  email: string,
  browser: string,
): Promise<boolean> {
  const found = await db`
    select 1 from ${db(tables.browsers)} join ${db(tables.accounts)} as accounts on accounts.id = ${db(owner)}
    where browser_hash = ${secretHash(browser)} and email_folded = ${foldLogin(email)}`
  return found.length > 0
}

export async function forgetExpiredAccountSessions(db: Db, { tables }: AccountKind): Promise<void> {
  await db`
    delete from ${db(tables.sessions)} where secret_hash in
      (select secret_hash from ${db(tables.sessions)} where expires_at < now() - interval '1 day'
       order by expires_at limit 5000)`
}
