import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '../domain/sessions/session.ts'
import { ABSOLUTE_SECONDS } from '../domain/sessions/session.ts'
import { findSession } from '../domain/sessions/session-store.ts'
import type { Db } from '../platform/db.ts'
import { newOpaqueSecret } from '../platform/opaque-secret.ts'
import type { CookieJar } from './cookies.ts'
import type { Form } from './form.ts'
import { type Attempt, logAttempt } from './log-attempt.ts'
import { Problem } from './problem.ts'

/** The browser in front of us: a name of its own, and the session in it if somebody is signed in. */
export type BrowserWith<SomeSession> = {
  id: string
  session: SomeSession | null
  csrf: string
  userAgent: string
  address: string
  /** Writes down that somebody in it said who they are. */
  logAttempt: (attempt: Attempt) => void
}
export type Browser = BrowserWith<Session>

/** One kind of account has one cookie; people, integrators and staff can be signed in side by side (decision E1). */
export type SessionKind<SomeSession extends { sid: string }> = SessionCookie & {
  find: (db: Db, cookie: string) => Promise<SomeSession | null>
}

/** `seconds` is how long the browser keeps it, when that is not as long as for people. */
type SessionCookie = { cookie: string; seconds?: number }

export type BrowserTools = { db: Db; cookies: CookieJar; csrfKey: Buffer; origin: string }

const BROWSER = 'handover-browser'
const PEOPLE: SessionKind<Session> = { cookie: 'handover-session', find: findSession }
const YEAR_SECONDS = 365 * 24 * 3_600

export function readBrowser(tools: BrowserTools, request: FastifyRequest, reply: FastifyReply): Promise<Browser> {
  return readBrowserWith(PEOPLE, tools, request, reply)
}

export async function readBrowserWith<SomeSession extends { sid: string }>(
  kind: SessionKind<SomeSession>,
  { db, cookies, csrfKey }: BrowserTools,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<BrowserWith<SomeSession>> {
  const known = cookies.read(request, BROWSER)
  const id = known ?? newOpaqueSecret()
  if (known === null) cookies.set(reply, BROWSER, id, YEAR_SECONDS)
  const sessionCookie = cookies.read(request, kind.cookie)
  const session = sessionCookie === null ? null : await kind.find(db, sessionCookie)
  return {
    id,
    session,
    // Bound to the browser and to who is signed in: neither another session's token nor one from before a login works.
    csrf: createHmac('sha256', csrfKey)
      .update(`${id} ${session?.sid ?? ''}`)
      .digest('base64url'),
    userAgent: request.headers['user-agent'] ?? '',
    address: request.ip,
    logAttempt: (attempt) => logAttempt(request, attempt),
  }
}

export function setSessionCookie(
  { cookies }: BrowserTools,
  reply: FastifyReply,
  cookie: string,
  kind: SessionCookie = PEOPLE,
): void {
  cookies.set(reply, kind.cookie, cookie, kind.seconds ?? ABSOLUTE_SECONDS)
}

export function clearSessionCookie(
  { cookies }: BrowserTools,
  reply: FastifyReply,
  kind: { cookie: string } = PEOPLE,
): void {
  cookies.clear(reply, kind.cookie)
}

/** Every POST of our own forms comes from our own page in the same browser, or nothing happens. */
export function requireOwnForm(
  { origin }: BrowserTools,
  browser: { csrf: string },
  request: FastifyRequest,
  form: Form,
): void {
  const sent = Buffer.from(form.get('csrf') ?? '')
  const expected = Buffer.from(browser.csrf)
  const site = request.headers['sec-fetch-site']
  const from = request.headers.origin
  const foreign =
    (site !== undefined && site !== 'same-origin') || (from !== undefined && from !== origin && from !== 'null')
  if (!foreign && sent.length === expected.length && timingSafeEqual(sent, expected)) return
  throw new Problem(
    403,
    'form_expired',
    'This form is out of date',
    'It was opened in another browser, before you signed in or out, or your browser does not keep cookies. Go back, reload the page and try again.',
  )
}
