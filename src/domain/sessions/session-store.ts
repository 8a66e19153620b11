import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { type UserRow, userFromRow } from '../users/user-row.ts'
import { userColumns } from '../users/user-store.ts'
import { ABSOLUTE_SECONDS, IDLE_SECONDS, type Session } from './session.ts'
import { type SessionSummary, type SessionSummaryRow, sessionSummaryFrom } from './session-summary.ts'

/** Seen again within this time is not written down: reading a page should not cost a write. */
const SEEN_STEP_SECONDS = 300

/** A new session with a new id at every login, so that nobody can have planted it. Answers the cookie's value. */
export async function startSession(
  tx: DbOrTransaction,
  userId: string,
  browser: { userAgent: string; address: string },
): Promise<{ cookie: string; sid: string }> {
  const cookie = newOpaqueSecret()
  const sid = newId('ses')
  await tx`
    insert into sessions (secret_hash, sid, user_id, expires_at, user_agent, address)
    values (${secretHash(cookie)}, ${sid}, ${userId}, now() + make_interval(secs => ${ABSOLUTE_SECONDS}),
            ${browser.userAgent.slice(0, 300)}, ${browser.address})`
  return { cookie, sid }
}

export async function findSession(db: Db, cookie: string): Promise<Session | null> {
  const [row] = await db<Array<UserRow & { sid: string; auth_time: Date; stale: boolean }>>`
    select sid, auth_time, last_seen_at < now() - make_interval(secs => ${SEEN_STEP_SECONDS}) as stale, ${userColumns(db)}
    from sessions join users on users.id = sessions.user_id and users.blocked_at is null
    where secret_hash = ${secretHash(cookie)} and ended_at is null and sessions.expires_at > now()
      and last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS})`
  if (!row) return null
  if (row.stale) await db`update sessions set last_seen_at = now() where sid = ${row.sid}`
  return { sid: row.sid, user: userFromRow(row), authTime: row.auth_time }
}

export async function endSession(db: DbOrTransaction, sid: string): Promise<void> {
  await db`update sessions set ended_at = now() where sid = ${sid} and ended_at is null`
}

/** Ends a session if it is this person's. Answers whether there was one to end. */
export async function endSessionOf(db: DbOrTransaction, userId: string, sid: string): Promise<boolean> {
  const ended = await db`
    update sessions set ended_at = now() where sid = ${sid} and user_id = ${userId} and ended_at is null returning 1`
  return ended.length === 1
}

/** Ends every session of a person, or every one but the one that asks. Answers how many. */
export async function endSessionsOf(db: DbOrTransaction, userId: string, except: string | null): Promise<number> {
  const ended = await db`
    update sessions set ended_at = now()
    where user_id = ${userId} and ended_at is null and sid is distinct from ${except} returning 1`
  return ended.length
}

export async function listSessions(db: Db, userId: string): Promise<SessionSummary[]> {
  const rows = await db<SessionSummaryRow[]>`
    select sid, user_agent, address, auth_time, last_seen_at from sessions
    where user_id = ${userId} and ended_at is null and expires_at > now()
      and last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS})
    order by last_seen_at desc limit 50`
  return rows.map(sessionSummaryFrom)
}

/** Logout by `sid` alone may return only to an application that got tokens in that session (decision B21). */
export async function noteSessionApplication(db: DbOrTransaction, sid: string, applicationId: string): Promise<void> {
  await db`insert into session_applications (sid, application_id) values (${sid}, ${applicationId}) on conflict do nothing`
}

export async function applicationsOfSession(db: Db, sid: string): Promise<string[]> {
  const rows = await db<
    Array<{ application_id: string }>
  >`select application_id from session_applications where sid = ${sid}`
  return rows.map((row) => row.application_id)
}

/** A session that is over is of no use a day later, when nobody asks any more where it went. */
export async function forgetExpiredSessions(db: Db): Promise<void> {
  await db`
    delete from sessions where secret_hash in
      (select secret_hash from sessions where expires_at < now() - interval '1 day' order by expires_at limit 5000)`
}
