import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyRing } from '../domain/keys/key-ring.ts'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import type { RequestLog } from '../domain/requests/request-log.ts'
import { readIdTokenHint } from '../domain/tokens/verify-id-token.ts'
import { OVERLOADED_DETAIL, overloaded } from '../http/admission.ts'
import type { BearerCheck } from '../http/bearer.ts'
import { sendCachedJson } from '../http/cached-json.ts'
import type { Door } from '../http/door.ts'
import { takeFormsOnly } from '../http/form.ts'
import { pageHeaders, sendPage } from '../http/page.ts'
import { noteClaim, noteRefusal, recordRequests } from '../http/record-requests.ts'
import { writtenAhead } from '../http/refuse-late.ts'
import { errorPage } from '../ui/error-page.ts'
import { authorizeEndpoint, continueEndpoint } from './authorize.ts'
import { allowRegisteredOrigins } from './cors.ts'
import { discoveryDocument, PATHS } from './discovery.ts'
import type { GrantTools } from './grants/grant.ts'
import { introspectEndpoint } from './introspect.ts'
import { logoutRoutes } from './logout.ts'
import type { ClientAuth } from './oauth/client-auth.ts'
import { codeOf, NEVER_STORED, OAuthError, sendOAuthError } from './oauth/oauth-error.ts'
import { claimedClientId } from './oauth/presented-client.ts'
import { accountRoutes } from './pages/account/account.ts'
import { consentRoutes } from './pages/consent.ts'
import { loginRoutes } from './pages/login.ts'
import { newPasswordRoutes } from './pages/new-password.ts'
import type { PageParts } from './pages/page-parts.ts'
import { resetRoutes } from './pages/reset.ts'
import { selectAccountRoutes } from './pages/select-account.ts'
import { signUpRoutes } from './pages/signup.ts'
import { totpRoutes } from './pages/totp.ts'
import { verifyRoutes } from './pages/verify.ts'
import { postedEndpoint } from './posted.ts'
import { revokeEndpoint } from './revoke.ts'
import { tokenEndpoint } from './token.ts'
import { userinfoEndpoint } from './userinfo.ts'

export type OidcParts = {
  tools: GrantTools
  clientAuth: ClientAuth
  limiter: RateLimiter
  bearer: BearerCheck
  keys: KeyRing
  pages: PageParts
  requestLog: RequestLog
}

const PREFIX = '/oidc'

/** Keys are published a day ahead, but in an emergency a new one must be found soon. */
const JWKS_MAX_AGE_SECONDS = 300
const DISCOVERY_MAX_AGE_SECONDS = 3_600

/** The identity server. People get a page, programs the JSON of RFC 6749 5.2. */
export function oidcDoor(parts: OidcParts): Door {
  return {
    name: 'oidc',
    prefix: PREFIX,
    routes: (app) => routes(app, parts),
    quickRefusals: QUICK_REFUSALS,
    answer: (problem, request, reply) => {
      if (problem instanceof OAuthError) {
        request.log.info({ reqId: request.id, error: problem.code, reason: problem.reason }, 'refused')
      }
      const forPeople = isForPeople(request)
      if (!forPeople) noteClaim(request, claimedClientId(request))
      noteRefusal(request, problem, forPeople ? problem.code : codeOf(problem))
      if (!forPeople) return sendOAuthError(problem, reply)
      return sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id))
    },
  }
}

/** In the contract's order; what people see on the way comes last. */
function routes(app: FastifyInstance, parts: OidcParts): void {
  const { tools, clientAuth, limiter, bearer, keys, pages, requestLog } = parts
  const { db, issuer } = tools
  recordRequests(app, requestLog)
  takeFormsOnly(app)
  allowRegisteredOrigins(app, db, [PATHS.token, PATHS.userinfo, PATHS.revoke])

  const discovery = discoveryDocument(issuer.issuer)
  app.get(PATHS.discovery, (request, reply) => sendCachedJson(request, reply, discovery, DISCOVERY_MAX_AGE_SECONDS))
  app.get(PATHS.jwks, (request, reply) =>
    sendCachedJson(request, reply, { keys: keys.published() }, JWKS_MAX_AGE_SECONDS),
  )
  app.get(PATHS.authorize, authorizeEndpoint(pages))
  app.post(PATHS.authorize, postedEndpoint(db, PATHS.authorize))
  app.post(PATHS.token, tokenEndpoint({ tools, clientAuth, limiter }))
  app.route({ method: ['GET', 'POST'], url: PATHS.userinfo, handler: userinfoEndpoint({ db, bearer }) })
  const readHint = (hint: string) => readIdTokenHint(bearer, hint)
  logoutRoutes(app, { db, applications: bearer.applications, readHint }, pages.browsers)
  app.post(PATHS.logout, postedEndpoint(db, PATHS.logout))
  app.post(PATHS.revoke, revokeEndpoint({ db, clientAuth, verifier: bearer }))
  app.post(PATHS.introspect, introspectEndpoint({ db, clientAuth, verifier: bearer }))

  app.get('/continue', continueEndpoint(pages))
  loginRoutes(app, pages)
  totpRoutes(app, pages)
  signUpRoutes(app, pages)
  verifyRoutes(app, pages)
  resetRoutes(app, pages)
  newPasswordRoutes(app, pages)
  selectAccountRoutes(app, pages)
  consentRoutes(app, pages)
  accountRoutes(app, pages)
}

const FOR_PROGRAMS = new Set(
  [PATHS.discovery, PATHS.jwks, PATHS.token, PATHS.userinfo, PATHS.revoke, PATHS.introspect].map(
    (path) => PREFIX + path,
  ),
)

const UNAVAILABLE = JSON.stringify({ error: 'temporarily_unavailable', error_description: OVERLOADED_DETAIL })

/** As `sendOAuthError` would say it, and to people the page that says the same. */
const QUICK_REFUSALS: NonNullable<Door['quickRefusals']> = [
  {
    addresses: FOR_PROGRAMS,
    headers: { ...NEVER_STORED, 'content-type': 'application/json; charset=utf-8' },
    body: () => UNAVAILABLE,
  },
  {
    addresses: new Set([PREFIX + PATHS.authorize]),
    headers: pageHeaders(null),
    body: writtenAhead((id) => errorPage(overloaded(1), id).toString()),
  },
]

/** Every other address is one that people come to; an unknown one is whose browser asks for pages. */
function isForPeople(request: FastifyRequest): boolean {
  const { url } = request.routeOptions
  return url === undefined ? (request.headers.accept ?? '').includes('text/html') : !FOR_PROGRAMS.has(url)
}
