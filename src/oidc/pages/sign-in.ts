import type { FastifyReply } from 'fastify'
import { rememberBrowser } from '../../domain/sessions/known-browser-store.ts'
import { endSession, startSession } from '../../domain/sessions/session-store.ts'
import { type Browser, setSessionCookie } from '../../http/browser.ts'
import { transaction } from '../../platform/transaction.ts'
import type { PageParts } from './page-parts.ts'

/** The person has proven who they are: a new session with a new id, and the one that was in this browser is over. */
export async function signIn(
  { db, browsers }: PageParts,
  reply: FastifyReply,
  browser: Browser,
  userId: string,
): Promise<void> {
  const { cookie } = await transaction(db, async (tx) => {
    if (browser.session !== null) await endSession(tx, browser.session.sid)
    await rememberBrowser(tx, userId, browser.id)
    return startSession(tx, userId, browser)
  })
  setSessionCookie(browsers, reply, cookie)
}
