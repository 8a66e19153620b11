import type { FastifyReply } from 'fastify'
import { endAccountSession, startAccountSession } from '../../domain/credentials/account-session-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { noteSecondFactor } from '../../domain/staff/staff-session-store.ts'
import { setSessionCookie } from '../../http/browser.ts'
import { transaction } from '../../platform/transaction.ts'
import type { SupportParts } from './parts.ts'
import { STAFF_SESSIONS, type SupportBrowser } from './visit.ts'

/** They have proven who they are: a new session with a new id, and the one that was in this browser is over (decision B19). */
export async function signInBrowser(
  { db, browsers }: SupportParts,
  reply: FastifyReply,
  browser: SupportBrowser,
  { id, secondFactor }: { id: string; secondFactor: boolean },
): Promise<void> {
  const { session } = browser
  const cookie = await transaction(db, async (tx) => {
    if (session !== null) await endAccountSession(tx, STAFF, session.member.id, session.sid)
    const started = await startAccountSession(tx, STAFF, id, browser)
    if (secondFactor) await noteSecondFactor(tx, started.sid, true)
    return started.cookie
  })
  setSessionCookie(browsers, reply, cookie, STAFF_SESSIONS)
}
