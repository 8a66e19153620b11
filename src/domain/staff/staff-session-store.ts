import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { findAccountSession } from '../credentials/account-session-store.ts'
import { FRESH_SECONDS, STAFF, type StaffSession } from './staff.ts'

/** Whoever was removed has no session any more, whatever the cookie says. */
export async function findStaffSession(db: Db, cookie: string): Promise<StaffSession | null> {
  const session = await findAccountSession(db, STAFF, cookie)
  if (session === null) return null
  const [row] = await db<Array<{ id: string; email: string; name: string; second_factor: boolean; fresh: boolean }>>`
    select staff.id, email, name, second_factor, auth_time > now() - make_interval(secs => ${FRESH_SECONDS}) as fresh
    from staff_sessions join staff on staff.id = staff_id where sid = ${session.sid}`
  if (!row) return null
  const member = { id: row.id, email: row.email, name: row.name }
  return { sid: session.sid, member, authTime: session.authTime, secondFactor: row.second_factor, fresh: row.fresh }
}

/** A one-time code was given in this session, or its account has none any more. */
export async function noteSecondFactor(tx: DbOrTransaction, sid: string, given: boolean): Promise<void> {
  await tx`update staff_sessions set second_factor = ${given} where sid = ${sid}`
}

/** They have shown again that it is them. Does not lengthen the session. */
export async function refreshStaffSession(db: DbOrTransaction, sid: string): Promise<void> {
  await db`update staff_sessions set auth_time = now() where sid = ${sid} and ended_at is null`
}
