import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowedScope } from '../domain/consents/consent-store.ts'
import {
  endInteraction,
  findInteraction,
  type Interaction,
  keepPosted,
  startInteraction,
  takePosted,
} from '../domain/sessions/interaction-store.ts'
import type { Issuer } from '../domain/tokens/access-token.ts'
import { type Browser, type BrowserTools, readBrowser } from '../http/browser.ts'
import type { Form } from '../http/form.ts'
import { Problem } from '../http/problem.ts'
import { queryOf } from '../http/query.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { issueResponse } from './authorize/issue.ts'
import { nextStep, type Situation, type Step, silentError } from './authorize/next-step.ts'
import { type AuthorizeReader, readAuthorizeRequest } from './authorize/read-request.ts'
import type { AuthorizeRequest } from './authorize/request.ts'
import { OAuthError } from './oauth-error.ts'
import { sendAuthorizeResponse } from './response-modes/response-mode.ts'

export type AuthorizeParts = { db: Db; issuer: Issuer; clock: Clock; reader: AuthorizeReader; browsers: BrowserTools }

const PAGES: Record<Exclude<Step, 'issue'>, string> = {
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
      request.log.info({ reqId: request.id, error: read.error.error, reason: read.error.description }, 'refused')
      return answerError(parts, reply, read.reply, read.error.error, read.error.description)
    }
    const browser = await readBrowser(parts.browsers, request, reply)
    const step = nextStep(await situationOf(parts, read.request, browser, null))
    if (step === 'issue') return issue(parts, reply, read.request, browser)
    if (read.request.prompt.has('none')) {
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

/** POST: a cross-site POST brings no Lax cookies, so what it says is kept for the GET it is sent on to (decision B11). */
export function postedEndpoint(db: Db, path: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = typeof request.body === 'string' ? request.body : ''
    // A raw NUL has no place in a form, and PostgreSQL does not keep it.
    if (body.includes('\0')) throw malformedBody()
    const secret = await keepPosted(db, path, body)
    return reply.code(303).header('location', `/oidc${path}?posted=${secret}`).send()
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
    if (read.kind === 'refused') return answerError(parts, reply, read.reply, read.error.error, read.error.description)
    const step = nextStep(await situationOf(parts, read.request, browser, interaction))
    if (step !== 'issue')
      return reply.code(303).header('location', `${PAGES[step]}?interaction=${interaction.secret}`).send()
    if (!(await endInteraction(parts.db, interaction.secret))) throw interactionGone()
    return issue(parts, reply, read.request, browser)
  }
}

/** The interaction in the URL, or in the form that was posted, if it is this browser's. */
export async function requireInteraction(
  db: Db,
  request: FastifyRequest,
  browser: Browser,
  form?: Form,
): Promise<Interaction> {
  const secret = form ? form.get('interaction') : new URLSearchParams(queryOf(request)).get('interaction')
  const interaction = secret === null ? null : await findInteraction(db, secret, browser.id)
  if (interaction === null) throw interactionGone()
  return interaction
}

/** The request that an interaction waits for, and null when it is only about the person's own page. */
export async function requestOf(
  reader: AuthorizeReader,
  { authorizeQuery }: Interaction,
): Promise<AuthorizeRequest | null> {
  if (authorizeQuery === null) return null
  const read = await readAuthorizeRequest(reader, authorizeQuery)
  return read.kind === 'request' ? read.request : null
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
  return sendAuthorizeResponse(reply, request, parts.issuer.issuer, await issueResponse(parts, request, session))
}

export function answerError(
  { issuer }: Pick<AuthorizeParts, 'issuer'>,
  reply: FastifyReply,
  target: Parameters<typeof sendAuthorizeResponse>[1],
  error: string,
  description: string,
): FastifyReply {
  return sendAuthorizeResponse(reply, target, issuer.issuer, { error, error_description: description })
}

/** The parameters as they came: in the URL, or kept from a POST. */
export async function presentedQuery(db: Db, request: FastifyRequest, path: string): Promise<string> {
  const query = queryOf(request)
  const posted = /^posted=([A-Za-z0-9_-]{43})$/.exec(query)?.[1]
  if (posted === undefined) return query
  const body = await takePosted(db, path, posted)
  if (body === null) throw interactionGone()
  return body
}

function malformedBody(): Problem {
  return new OAuthError(400, 'invalid_request', 'The request is damaged. Go back to the application and start again.')
}

function interactionGone(): Problem {
  return new Problem(
    400,
    'interaction_expired',
    'Please start again',
    'This page was opened in another browser, was used already, or waited too long. Go back to the application and start again.',
  )
}
