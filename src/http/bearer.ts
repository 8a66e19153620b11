import type { FastifyRequest } from 'fastify'
import type { ApplicationCache } from '../domain/applications/application-cache.ts'
import type { RegisteredApplication } from '../domain/applications/application-store.ts'
import { applicationSubject } from '../domain/tokens/access-token.ts'
import { describeRefusedToken } from '../domain/tokens/refused-token.ts'
import { stillAllowed } from '../domain/tokens/scope.ts'
import type { VerifiedToken } from '../domain/tokens/verified-tokens.ts'
import { type TokenVerifier, verifyAccessToken } from '../domain/tokens/verify-access-token.ts'
import { Problem } from './problem.ts'
import { note, noteApplication, noteClaim } from './record-requests.ts'

/** Who calls with an access token: a person through an application, or the application itself. */
export type Caller = { application: RegisteredApplication; userId: string | null; token: VerifiedToken }

export type BearerCheck = TokenVerifier & { applications: ApplicationCache }

/** RFC 6750 2.1: the header, and nowhere else unless a door reads it from a form itself. Never the query. */
export function bearerToken(request: FastifyRequest): string | null {
  return /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** The same answer whatever is wrong with the token: who forged it learns nothing. */
export async function checkBearer(check: BearerCheck, request: FastifyRequest, jwt: string | null): Promise<Caller> {
  if (jwt === null) throw unauthorized('Send an access token as "Authorization: Bearer <token>".', null)
  const verification = await verifyAccessToken(check, jwt)
  if (verification.verdict !== 'valid') {
    const { clientId, reason } = describeRefusedToken(check.issuer, jwt, verification.verdict)
    // One that was ours names its application truly.
    note(request, { applicationIsKnown: verification.verdict !== 'not-ours' })
    noteClaim(request, clientId)
    throw invalidToken(reason)
  }
  const { token } = verification
  noteClaim(request, token.clientId)
  const application = await check.applications.find(token.clientId)
  if (application === null) throw invalidToken('The application of the access token is deleted.')
  noteApplication(request, application)
  if (application.suspended) throw invalidToken('The application is suspended. Contact support.')
  const userId = token.sub === applicationSubject(application.id) ? null : token.sub
  // What support took from the application is gone from tokens that are out already.
  return { application, userId, token: { ...token, scope: stillAllowed(token.scope, application) } }
}

export function insufficientScope(scope: string, detail: string): Problem {
  return new Problem(403, 'insufficient_scope', 'Insufficient scope', detail, {
    headers: { 'www-authenticate': `Bearer realm="handover", error="insufficient_scope", scope="${scope}"` },
  })
}

/** `reason` is for those who make the application. */
export function invalidToken(reason: string): Problem {
  return unauthorized('The access token is expired, revoked or not valid.', 'invalid_token', reason)
}

/** A good token, but for userinfo only: it was issued without the audience of an API (decisions B2, C3). */
export function wrongAudience(audiences: readonly string[]): Problem {
  return unauthorized(
    `The access token is not for this API. Ask for one with audience ${audiences.join(' or ')}.`,
    'invalid_token',
  )
}

/** RFC 6750 3.1: who sent no token is told how to, without an error code. */
function unauthorized(detail: string, error: 'invalid_token' | null, reason = detail): Problem {
  const challenge = error === null ? '' : `, error="${error}", error_description="${detail}"`
  return new Problem(401, error ?? 'unauthorized', 'Unauthorized', detail, {
    headers: { 'www-authenticate': `Bearer realm="handover"${challenge}` },
    reason,
  })
}
