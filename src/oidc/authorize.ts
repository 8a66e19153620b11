import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowedScope } from '../domain/consents/consent-store.ts'
import { endInteraction, startInteraction } from '../domain/sessions/interaction-store.ts'
import { environmentOf } from '../domain/tokens/audience.ts'
import { type Browser, readBrowser } from '../http/browser.ts'
import { note, noteApplication } from '../http/record-requests.ts'
import { interactionGone, requireInteraction } from './authorize/interaction.ts'
import { issueResponse } from './authorize/issue.ts'
import { nextStep, type Situation, type Step, silentError } from './authorize/next-step.ts'
import { type AuthorizeParts, answerError } from './authorize/parts.ts'
import { readAuthorizeRequest } from './authorize/read-request.ts'
import type { AuthorizeRequest } from './authorize/request.ts'
import { presentedQuery } from './posted.ts'
import { sendAuthorizeResponse } from './response-modes/response-mode.ts'

const PAGES: Record<Exclude<Step, 'issue' | 'wrong-person'>, string> = {
  'sign-in': '/oidc/login',
  'sign-up': '/oidc/signup',
  'select-account': '/oidc/select-account',
  consent: '/oidc/consent',
}

/** GET /oidc/authorize: read the request, see what stands in its way, and answer or ask the person. */
export function authorizeEndpoint(parts: AuthorizeParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = await presentedQuery(parts.db, request, '/authorize')
    const read = await readAuthorizeRequest(parts.reader, query)
    if (read.kind === 'refused') {
      const { error, description, reason } = read.error
      request.log.info({ reqId: request.id, error, reason }, 'refused')
      return answerError(parts, reply, read.reply, error, description, reason)
    }
    noteRequest(parts, request, read.request)
    const browser = await readBrowser(parts.browsers, request, reply)
    const step = nextStep(await situationOf(parts, read.request, browser, null))
    if (step === 'issue') return issue(parts, reply, read.request, browser)
    if (read.request.prompt.has('none') || step === 'wrong-person') {
      return answerError(
        parts,
        reply,
        read.request,
        silentError(step),
        'The person would have to be asked, and prompt is none.',
      )
    }
    const interaction = await startInteraction(parts.db, browser.id, query)
    return reply.code(303).header('location', `${PAGES[step]}?interaction=${interaction}`).send()
  }
}

/** GET /oidc/continue: where every page returns to. What comes next is decided from what is stored, not by the page. */
export function continueEndpoint(parts: AuthorizeParts) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const interaction = await requireInteraction(parts.db, request, browser)
    const { authorizeQuery } = interaction
    if (authorizeQuery === null) {
      if (browser.session === null)
        return reply.code(303).header('location', `${PAGES['sign-in']}?interaction=${interaction.secret}`).send()
      await endInteraction(parts.db, interaction.secret)
      return reply.code(303).header('location', '/oidc/account').send()
    }
    const read = await readAuthorizeRequest(parts.reader, authorizeQuery)
    if (read.kind === 'refused') {
      const { error, description, reason } = read.error
      return answerError(parts, reply, read.reply, error, description, reason)
    }
    const step = nextStep(await situationOf(parts, read.request, browser, interaction))
    if (step === 'wrong-person') {
      await endInteraction(parts.db, interaction.secret)
      const said = 'Somebody else signed in than the person whom id_token_hint names.'
      return answerError(parts, reply, read.request, 'login_required', said)
    }
    if (step !== 'issue')
      return reply.code(303).header('location', `${PAGES[step]}?interaction=${interaction.secret}`).send()
    if (!(await endInteraction(parts.db, interaction.secret))) throw interactionGone()
    return issue(parts, reply, read.request, browser)
  }
}

async function situationOf(
  { db, clock }: AuthorizeParts,
  request: AuthorizeRequest,
  { session }: Browser,
  interaction: Situation['interaction'],
): Promise<Situation> {
  const { application, audience } = request
  const allowed =
    session === null
      ? null
      : await allowedScope(db, { userId: session.user.id, applicationId: application.id, audience })
  return { request, session, allowedScope: allowed, interaction, now: clock() }
}

async function issue(
  parts: AuthorizeParts,
  reply: FastifyReply,
  request: AuthorizeRequest,
  { session }: Browser,
): Promise<FastifyReply> {
  if (session === null) throw new Error('Nothing is issued without a session')
  noteRequest(parts, reply.request, request)
  return sendAuthorizeResponse(reply, request, parts.issuer.issuer, await issueResponse(parts, request, session))
}

/** For the request log: what arrives, and what is issued in the end; the pages in between are the person's. */
function noteRequest(
  { reader }: AuthorizeParts,
  request: FastifyRequest,
  { application, responseType, audience }: AuthorizeRequest,
): void {
  noteApplication(request, application)
  note(request, { operation: responseType, environment: environmentOf(audience, reader.audiences) })
}
