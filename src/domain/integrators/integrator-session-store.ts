import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import {
  endAccountSession,
  endOtherAccountSessions,
  forgetExpiredAccountSessions,
  isAccountsBrowser,
  listAccountSessions,
  SEEN_STEP_SECONDS,
  startAccountSession,
} from '../credentials/account-session-store.ts'
import { IDLE_SECONDS } from '../sessions/session.ts'
import type { SessionSummary } from '../sessions/session-summary.ts'
import { INTEGRATOR_ACCOUNTS, type IntegratorSession } from './integrator.ts'

// The rules of sessions are those of every account (`credentials`); an integrator's also knows the team that was opened last.

/** Answers the cookie's value. */
export async function startIntegratorSession(
  tx: DbOrTransaction,
  integratorId: string,
  browser: { id: string; userAgent: string; address: string },
): Promise<string> {
  return (await startAccountSession(tx, INTEGRATOR_ACCOUNTS, integratorId, browser)).cookie
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

/** Whether they signed in to it a moment ago, with all that signing in asks for. */
export async function isFreshSession(db: Db, sid: string, withinSeconds: number): Promise<boolean> {
  const found = await db`
    select 1 from integrator_sessions
    where sid = ${sid} and auth_time > now() - make_interval(secs => ${withinSeconds})`
  return found.length === 1
}

export async function noteOpenedTeam(db: Db, sid: string, teamId: string): Promise<void> {
  await db`update integrator_sessions set team_id = ${teamId} where sid = ${sid}`
}

/** Answers whether there was one to end. */
export function endIntegratorSession(tx: DbOrTransaction, integratorId: string, sid: string): Promise<boolean> {
  return endAccountSession(tx, INTEGRATOR_ACCOUNTS, integratorId, sid)
}

/** Answers how many were ended. */
export function endOtherIntegratorSessions(tx: DbOrTransaction, integratorId: string, except: string): Promise<number> {
  return endOtherAccountSessions(tx, INTEGRATOR_ACCOUNTS, integratorId, except)
}

export function listIntegratorSessions(db: Db, integratorId: string): Promise<SessionSummary[]> {
  return listAccountSessions(db, INTEGRATOR_ACCOUNTS, integratorId)
}

/** Whether the owner of this address signed in with this browser before (decision B18). */
export function isIntegratorsBrowser(db: Db, email: string, browser: string): Promise<boolean> {
  return isAccountsBrowser(db, INTEGRATOR_ACCOUNTS, email, browser)
}

export function forgetExpiredIntegratorSessions(db: Db): Promise<void> {
  return forgetExpiredAccountSessions(db, INTEGRATOR_ACCOUNTS)
}
