import type { FastifyReply, FastifyRequest } from 'fastify'
import { userClaims } from '../domain/tokens/claims.ts'
import { findUser } from '../domain/users/user-store.ts'
import { type BearerCheck, bearerToken, checkBearer, insufficientScope, invalidToken } from '../http/bearer.ts'
import type { Db } from '../platform/db.ts'
import { formBody } from './oauth/form-body.ts'

/** GET and POST /oidc/userinfo: the person's claims, as far as the token's scope opens them (OpenID Core 5.3). */
export function userinfoEndpoint({ db, bearer }: { db: Db; bearer: BearerCheck }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { userId, token } = await checkBearer(bearer, request, presentedToken(request))
    if (userId === null)
      throw insufficientScope('openid', 'This token is an application’s own: there is no person to tell about.')
    if (!token.scope.includes('openid'))
      throw insufficientScope('openid', 'This token was issued without the scope openid.')
    const user = await findUser(db, userId)
    if (user === null) throw invalidToken('The person of the access token is gone.')
    return reply.send(userClaims(user, token.scope))
  }
}

/** RFC 6750 2.2: a POST may carry the token in its form. */
function presentedToken(request: FastifyRequest): string | null {
  const header = bearerToken(request)
  return header === null && request.method === 'POST' ? formBody(request).get('access_token') : header
}
