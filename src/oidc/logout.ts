import type { FastifyInstance, FastifyReply } from 'fastify'
import { endSession } from '../domain/sessions/session-store.ts'
import { type BrowserTools, clearSessionCookie, readBrowser, requireOwnForm } from '../http/browser.ts'
import { sendPage } from '../http/page.ts'
import { noteClaim } from '../http/record-requests.ts'
import { type LogoutReader, readLogoutRequest } from './logout-request.ts'
import { formBody } from './oauth/form-body.ts'
import { confirmLogoutPage, loggedOutPage } from './pages/logout-view.ts'
import { presentedQuery } from './posted.ts'

/**
 * GET /oidc/logout ends the session in this browser: at once when a hint proves that the request is about it, else after
 * asking, so that no other site can sign people out (decision B21).
 */
export function logoutRoutes(app: FastifyInstance, reader: LogoutReader, browsers: BrowserTools): void {
  app.get('/logout', async (request, reply) => {
    const query = await presentedQuery(reader.db, request, '/logout')
    const { hintedSid, returnTo, applicationId } = await readLogoutRequest(reader, query)
    noteClaim(request, applicationId)
    const browser = await readBrowser(browsers, request, reply)
    if (browser.session === null) return done(reply, returnTo)
    if (hintedSid === browser.session.sid) return end(reply, browser.session.sid, returnTo)
    return sendPage(
      reply,
      200,
      confirmLogoutPage({ csrf: browser.csrf, name: browser.session.user.name, query }),
      returnTo,
    )
  })

  app.post('/logout/confirm', async (request, reply) => {
    const browser = await readBrowser(browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(browsers, browser, request, form)
    const { returnTo } = await readLogoutRequest(reader, form.get('query') ?? '')
    return browser.session === null ? done(reply, returnTo) : end(reply, browser.session.sid, returnTo)
  })

  async function end(reply: FastifyReply, sid: string, returnTo: string | null): Promise<FastifyReply> {
    await endSession(reader.db, sid)
    clearSessionCookie(browsers, reply)
    return done(reply, returnTo)
  }
}

function done(reply: FastifyReply, returnTo: string | null): FastifyReply {
  return returnTo === null ? sendPage(reply, 200, loggedOutPage()) : reply.code(302).header('location', returnTo).send()
}
