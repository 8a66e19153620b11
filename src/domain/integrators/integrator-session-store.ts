import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { ABSOLUTE_SECONDS, IDLE_SECONDS } from '../sessions/session.ts'
import { foldLogin } from '../users/user.ts'
import type { IntegratorSession } from './integrator.ts'

/** Seen again within this time is not written down: reading a page should not cost a write. */
const SEEN_STEP_SECONDS = 300

/** A new session with a new id at every login (decision B19), and the browser counts as theirs. Answers the cookie's value. */
export async function startIntegratorSession(
  tx: DbOrTransaction,
  integratorId: string,
  browser: { id: string; userAgent: string; address: string },
): Promise<string> {
  const cookie = newOpaqueSecret()
  await tx`
    insert into integrator_browsers (integrator_id, browser_hash) values (${integratorId}, ${secretHash(browser.id)})
    on conflict (integrator_id, browser_hash) do update set seen_at = now()`
  await tx`
    insert into integrator_sessions (secret_hash, sid, integrator_id, expires_at, user_agent, address)
    values (${secretHash(cookie)}, ${newId('ses')}, ${integratorId}, now() + make_interval(secs => ${ABSOLUTE_SECONDS}),
            ${browser.userAgent.slice(0, 300)}, ${browser.address})`
  return cookie
}

export async function findIntegratorSession(db: Db, cookie: string): Promise<IntegratorSession | null> {
  const [row] = await db<
    Array<{
      sid: string
      auth_time: Date
      team_id: string | null
      stale: boolean
      id: string
      email: string
      name: string
    }>
  >`
    select sid, auth_time, team_id, last_seen_at < now() - make_interval(secs => ${SEEN_STEP_SECONDS}) as stale,
           integrators.id, integrators.email, integrators.name
    from integrator_sessions join integrators on integrators.id = integrator_sessions.integrator_id
    where secret_hash = ${secretHash(cookie)} and ended_at is null and expires_at > now()
      and last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS})`
  if (!row) return null
  if (row.stale) await db`update integrator_sessions set last_seen_at = now() where sid = ${row.sid}`
  const integrator = { id: row.id, email: row.email, name: row.name }
  return { sid: row.sid, integrator, authTime: row.auth_time, teamId: row.team_id }
}

export async function noteOpenedTeam(db: Db, sid: string, teamId: string): Promise<void> {
  await db`update integrator_sessions set team_id = ${teamId} where sid = ${sid}`
}

/** Ends a session if it is this integrator's. Answers whether there was one to end. */
export async function endIntegratorSession(tx: DbOrTransaction, integratorId: string, sid: string): Promise<boolean> {
  const ended = await tx`
    update integrator_sessions set ended_at = now()
    where sid = ${sid} and integrator_id = ${integratorId} and ended_at is null returning 1`
  return ended.length === 1
}

/** Answers how many were ended. */
export async function endOtherIntegratorSessions(
  tx: DbOrTransaction,
  integratorId: string,
  except: string,
): Promise<number> {
  const ended = await tx`
    update integrator_sessions set ended_at = now()
    where integrator_id = ${integratorId} and ended_at is null and sid <> ${except} returning 1`
  return ended.length
}

export type IntegratorSessionSummary = {
  sid: string
  userAgent: string
  address: string
  authTime: Date
  lastSeenAt: Date
}

export async function listIntegratorSessions(db: Db, integratorId: string): Promise<IntegratorSessionSummary[]> {
  const rows = await db<
    Array<{ sid: string; user_agent: string; address: string; auth_time: Date; last_seen_at: Date }>
  >`
    select sid, user_agent, address, auth_time, last_seen_at from integrator_sessions
    where integrator_id = ${integratorId} and ended_at is null and expires_at > now()
      and last_seen_at > now() - make_interval(secs => ${IDLE_SECONDS})
    order by last_seen_at desc limit 50`
  return rows.map((row) => ({
    sid: row.sid,
    userAgent: row.user_agent,
    address: row.address,
    authTime: row.auth_time,
    lastSeenAt: row.last_seen_at,
  }))
}

/** Whether the owner of this address signed in with this browser before (decision B18). */
export async function isIntegratorsBrowser(db: Db, email: string, browser: string): Promise<boolean> {
  const found = await db`
    select 1 from integrator_browsers join integrators on integrators.id = integrator_id
    where browser_hash = ${secretHash(browser)} and email_folded = ${foldLogin(email)}`
  return found.length > 0
}

export async function forgetExpiredIntegratorSessions(db: Db): Promise<void> {
  await db`
    delete from integrator_sessions where secret_hash in
      (select secret_hash from integrator_sessions where expires_at < now() - interval '1 day' order by expires_at limit 5000)`
}
