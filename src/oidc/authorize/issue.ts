import { allowScope } from '../../domain/consents/consent-store.ts'
import type { Session } from '../../domain/sessions/session.ts'
import { noteSessionApplication } from '../../domain/sessions/session-store.ts'
import { type Issuer, issueUserAccessToken } from '../../domain/tokens/access-token.ts'
import type { Authorization } from '../../domain/tokens/authorization.ts'
import { insertCode } from '../../domain/tokens/authorization-code-store.ts'
import { issueIdToken } from '../../domain/tokens/id-token.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { AuthorizeResponse } from '../response-modes/response-mode.ts'
import type { AuthorizeRequest } from './request.ts'

/** The last step: the person is signed in and has allowed it. */
export async function issueResponse(
  { db, issuer, clock }: { db: Db; issuer: Issuer; clock: Clock },
  request: AuthorizeRequest,
  { sid, user, authTime }: Session,
): Promise<AuthorizeResponse> {
  const { application, scope, audience } = request
  const authorization: Authorization = {
    grantId: newId('grt'),
    applicationId: application.id,
    user,
    scope,
    audience,
    sid,
    authTime,
  }
  await noteSessionApplication(db, sid, application.id)
  // A first-party application never asks; that the person uses it is recorded all the same (decision D2).
  if (application.firstParty) await allowScope(db, { userId: user.id, applicationId: application.id, audience }, scope)

  if (request.responseType === 'code') {
    const { redirectUriSent: redirectUri, nonce, codeChallenge } = request
    return { code: await insertCode(db, { ...authorization, userId: user.id, redirectUri, nonce, codeChallenge }) }
  }
  const now = clock()
  const accessToken =
    request.responseType === 'id_token' ? null : await issueUserAccessToken(issuer, authorization, scope, now)
  const bound = { nonce: request.nonce, accessToken: accessToken?.token ?? null }
  const idToken =
    request.responseType === 'token'
      ? null
      : await issueIdToken(issuer, application.idTokenAlgorithm, authorization, bound, now)
  return {
    access_token: accessToken?.token ?? null,
    token_type: accessToken && 'Bearer',
    expires_in: accessToken && String(accessToken.expiresIn),
    scope: accessToken && accessToken.scope.join(' '),
    id_token: idToken,
  }
}
