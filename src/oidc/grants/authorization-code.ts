import { issueUserAccessToken } from '../../domain/tokens/access-token.ts'
import { type CodeExchange, redeemCode } from '../../domain/tokens/authorization-code-store.ts'
import { issueIdToken } from '../../domain/tokens/id-token.ts'
import { required } from '../oauth/form-body.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { Grant } from './grant.ts'

/** RFC 6749 4.1.3, with PKCE (RFC 7636). */
export const authorizationCode: Grant = {
  allowed: () => true,

  async run({ db, issuer, clock }, { application, confidential }, form) {
    const exchange: CodeExchange = {
      code: required(form, 'code'),
      applicationId: application.id,
      confidential,
      redirectUri: form.get('redirect_uri'),
      codeVerifier: form.get('code_verifier'),
      refreshLifetimeSeconds: application.refreshLifetimeSeconds,
    }
    const redemption = await redeemCode(db, exchange)
    if (redemption.verdict !== 'valid') throw invalidGrant(redemption.verdict)
    const { authorization, nonce, refreshToken } = redemption
    const now = clock()
    const accessToken = await issueUserAccessToken(issuer, authorization, authorization.scope, now)
    const bound = { nonce, accessToken: accessToken.token }
    const idToken = await issueIdToken(issuer, application.idTokenAlgorithm, authorization, bound, now)
    return { accessToken, idToken, refreshToken }
  },
}

/** Who holds the code of another learns no more than who made one up; the reason is in the log. */
function invalidGrant(reason: string): OAuthError {
  return new OAuthError(
    400,
    'invalid_grant',
    'The authorization code is not valid, was used before, has expired, or does not belong to this request.',
    { reason: `code: ${reason}` },
  )
}
