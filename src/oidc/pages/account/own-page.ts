import type { FastifyReply, FastifyRequest } from 'fastify'
import { startInteraction } from '../../../domain/sessions/interaction-store.ts'
import type { Session } from '../../../domain/sessions/session.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../../http/browser.ts'
import type { Form } from '../../../http/form.ts'
import { formBody } from '../../oauth/form-body.ts'
import type { PageParts } from '../page-parts.ts'

/** A signed-in person at a page of their own. What they do, they do to `session.user` and to nobody a form could name. */
export type Visit = { request: FastifyRequest; reply: FastifyReply; browser: Browser; session: Session }

type Route = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Whoever is not signed in is asked to first, and comes back to /oidc/account. */
export function ownPage(parts: PageParts, show: (visit: Visit) => Promise<FastifyReply>): Route {
  return async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    if (browser.session !== null) return show({ request, reply, browser, session: browser.session })
    const interaction = await startInteraction(parts.db, browser.id, null)
    return reply.code(303).header('location', `/oidc/login?interaction=${interaction}`).send()
  }
}

/** A form of such a page: nothing happens unless it came from there, in the same browser and session. */
export function ownForm(parts: PageParts, act: (visit: Visit, form: Form) => Promise<FastifyReply>): Route {
  return async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    if (browser.session === null) return reply.code(303).header('location', '/oidc/account').send()
    return act({ request, reply, browser, session: browser.session }, form)
  }
}
