import type { FastifyReply, FastifyRequest } from 'fastify'
import { findRefreshToken } from '../domain/tokens/refresh-token-store.ts'
import { revokeGrant } from '../domain/tokens/revocation-store.ts'
import { revoke } from '../domain/tokens/revocations.ts'
import { type TokenVerifier, verifyAccessToken } from '../domain/tokens/verify-access-token.ts'
import type { Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { authenticateClient, type ClientAuth } from './oauth/client-auth.ts'
import { formBody, required } from './oauth/form-body.ts'
import { NEVER_STORED } from './oauth/oauth-error.ts'

/**
 * POST /oidc/oauth/revoke (RFC 7009). A refresh token takes its whole family and their access tokens with it. A token that is
 * unknown, dead or another application's is answered like one that was revoked (2.2).
 */
export function revokeEndpoint({
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
    const { application } = await authenticateClient(clientAuth, request, form)
    const token = required(form, 'token')
    // What it is shows by itself; token_type_hint would only say in which order to look (2.1).
    if (looksLikeJwt(token)) await revokeAccessToken(token, application.id)
    else await revokeRefreshToken(token, application.id)
    return reply.headers(NEVER_STORED).send()
  }

  async function revokeAccessToken(token: string, applicationId: string): Promise<void> {
    const verification = await verifyAccessToken(verifier, token)
    if (verification.verdict === 'valid' && verification.token.clientId === applicationId) {
      await revoke(db, { token: verification.token.jti })
    }
  }

  async function revokeRefreshToken(token: string, applicationId: string): Promise<void> {
    const known = await findRefreshToken(db, token)
    if (known?.applicationId === applicationId)
      await transaction(db, (tx) => revokeGrant(tx, known.familyId, 'revoked by the application'))
  }
}

/** Our refresh tokens are opaque and have no dots. */
export function looksLikeJwt(token: string): boolean {
  return token.includes('.')
}
