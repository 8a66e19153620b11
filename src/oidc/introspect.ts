import type { FastifyReply, FastifyRequest } from 'fastify'
import { findRefreshToken } from '../domain/tokens/refresh-token-store.ts'
import { type TokenVerifier, verifyAccessToken } from '../domain/tokens/verify-access-token.ts'
import type { Db } from '../platform/db.ts'
import { authenticateClient, type ClientAuth } from './oauth/client-auth.ts'
import { formBody, required } from './oauth/form-body.ts'
import { NEVER_STORED } from './oauth/oauth-error.ts'
import { authenticationFailed } from './oauth/presented-client.ts'
import { looksLikeJwt } from './revoke.ts'

const INACTIVE = { active: false }

/** POST /oidc/oauth/introspect (RFC 7662): for applications with a secret, about their own tokens only (decision B22). */
export function introspectEndpoint({
  db,
  clientAuth,
  verifier,
}: {
  db: Db
  clientAuth: ClientAuth
  verifier: TokenVerifier
}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formBody(request)
    const { application, confidential } = await authenticateClient(clientAuth, request, form)
    if (!confidential) throw authenticationFailed('none', 'Introspection is for applications with a secret.')
    const token = required(form, 'token')
    const answer = looksLikeJwt(token)
      ? await describeAccessToken(token, application.id)
      : await describeRefreshToken(token, application.id)
    return reply.headers(NEVER_STORED).send(answer)
  }

  async function describeAccessToken(jwt: string, applicationId: string): Promise<object> {
    const verification = await verifyAccessToken(verifier, jwt)
    if (verification.verdict !== 'valid' || verification.token.clientId !== applicationId) return INACTIVE
    const { token } = verification
    return {
      active: true,
      token_type: 'Bearer',
      iss: verifier.issuer,
      sub: token.sub,
      aud: token.audiences,
      client_id: token.clientId,
      scope: token.scope.join(' '),
      jti: token.jti,
      ...(token.sid !== null && { sid: token.sid }),
      iat: token.issuedAt,
      exp: token.expiresAt,
    }
  }

  async function describeRefreshToken(token: string, applicationId: string): Promise<object> {
    const known = await findRefreshToken(db, token)
    if (!known?.live || known.applicationId !== applicationId) return INACTIVE
    return {
      active: true,
      iss: verifier.issuer,
      sub: known.userId,
      client_id: known.applicationId,
      scope: known.scope.join(' '),
      exp: Math.floor(known.expiresAt.getTime() / 1_000),
    }
  }
}
