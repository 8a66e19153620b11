import type { FastifyInstance } from 'fastify'
import type { KeyRing } from '../domain/keys/key-ring.ts'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import type { BearerCheck } from '../http/bearer.ts'
import { sendCachedJson } from '../http/cached-json.ts'
import type { Door } from '../http/door.ts'
import { takeFormsOnly } from '../http/form.ts'
import { sendPage } from '../http/page.ts'
import { errorPage } from '../ui/error-page.ts'
import type { ClientAuth } from './client-auth.ts'
import { allowRegisteredOrigins } from './cors.ts'
import { discoveryDocument, PATHS } from './discovery.ts'
import type { GrantTools } from './grants/grant.ts'
import { introspectEndpoint } from './introspect.ts'
import { OAuthError, sendOAuthError } from './oauth-error.ts'
import { revokeEndpoint } from './revoke.ts'
import { tokenEndpoint } from './token.ts'
import { userinfoEndpoint } from './userinfo.ts'

export type OidcParts = {
  tools: GrantTools
  clientAuth: ClientAuth
  limiter: RateLimiter
  bearer: BearerCheck
  keys: KeyRing
}

/** Keys are published a day ahead, but in an emergency a new one must be found soon. */
const JWKS_MAX_AGE_SECONDS = 300
const DISCOVERY_MAX_AGE_SECONDS = 3_600

/** The identity server. People in a browser get a page, programs the JSON of RFC 6749 5.2. */
export function oidcDoor(parts: OidcParts): Door {
  return {
    name: 'oidc',
    prefix: '/oidc',
    routes: (app) => routes(app, parts),
    answer: (problem, request, reply) => {
      if (problem instanceof OAuthError)
        request.log.info({ reqId: request.id, error: problem.code, reason: problem.reason }, 'refused')
      if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
        return sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id))
      }
      return sendOAuthError(problem, reply)
    },
  }
}

/** In the contract's order. */
function routes(app: FastifyInstance, { tools, clientAuth, limiter, bearer, keys }: OidcParts): void {
  const { db, issuer } = tools
  takeFormsOnly(app)
  allowRegisteredOrigins(app, db, [PATHS.token, PATHS.userinfo, PATHS.revoke])

  const discovery = discoveryDocument(issuer.issuer)
  app.get(PATHS.discovery, (request, reply) => sendCachedJson(request, reply, discovery, DISCOVERY_MAX_AGE_SECONDS))
  app.get(PATHS.jwks, (request, reply) =>
    sendCachedJson(request, reply, { keys: keys.published() }, JWKS_MAX_AGE_SECONDS),
  )
  app.post(PATHS.token, tokenEndpoint({ tools, clientAuth, limiter }))
  app.route({ method: ['GET', 'POST'], url: PATHS.userinfo, handler: userinfoEndpoint({ db, bearer }) })
  app.post(PATHS.revoke, revokeEndpoint({ db, clientAuth, verifier: bearer }))
  app.post(PATHS.introspect, introspectEndpoint({ db, clientAuth, verifier: bearer }))
}
