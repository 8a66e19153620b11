import type { FastifyReply } from 'fastify'
import { endIntegratorSession, startIntegratorSession } from '../../domain/integrators/integrator-session-store.ts'
import { setSessionCookie } from '../../http/browser.ts'
import { transaction } from '../../platform/transaction.ts'
import type { PortalParts } from './parts.ts'
import { INTEGRATORS, type PortalBrowser } from './visit.ts'

/** They have proven who they are: a new session with a new id, and the one that was in this browser is over (decision B19). */
export async function signInBrowser(
  { db, browsers }: PortalParts,
  reply: FastifyReply,
  browser: PortalBrowser,
  integratorId: string,
): Promise<void> {
  const { session } = browser
  const cookie = await transaction(db, async (tx) => {
    if (session !== null) await endIntegratorSession(tx, session.integrator.id, session.sid)
    return startIntegratorSession(tx, integratorId, browser)
  })
  setSessionCookie(browsers, reply, cookie, INTEGRATORS)
}
