import type { Application } from '../../domain/applications/application.ts'
import { shownUri } from '../../domain/requests/shown-uri.ts'
import { issueUserAccessToken } from '../../domain/tokens/access-token.ts'
import { CODE_LIFETIME_SECONDS, type CodeVerdict } from '../../domain/tokens/authorization-code.ts'
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
    // Before it is judged: what revokes this person's tokens from here on hits this one as well.
    const now = clock()
    const redemption = await redeemCode(db, exchange)
    if (redemption.verdict !== 'valid') throw invalidGrant(redemption.verdict, exchange, application)
    const { authorization, nonce, refreshToken } = redemption
    const accessToken = await issueUserAccessToken(issuer, authorization, authorization.scope, now)
    const bound = { nonce, accessToken: accessToken.token }
    const idToken = await issueIdToken(issuer, application.idTokenAlgorithm, authorization, bound, now)
    return { accessToken, idToken, refreshToken }
  },
}

type RefusedBy = Exclude<CodeVerdict, 'valid'>

const REASONS: Record<RefusedBy, string> = {
  unknown: 'The code is not one of ours, or it is long gone.',
  'of-another-application': 'The code was issued to another application.',
  reused: 'The code was used before; everything that it gave is revoked.',
  expired: `The code is older than ${CODE_LIFETIME_SECONDS} s.`,
  'redirect-uri-differs': 'redirect_uri is not the one that was sent to /authorize.',
  'verifier-missing': 'code_verifier is missing.',
  'verifier-unexpected': 'There is a code_verifier, but /authorize was sent no code_challenge.',
  'verifier-wrong': 'code_verifier does not match the code_challenge.',
}

/** Who holds the code of another learns no more than who made one up; the reason is in the log. */
function invalidGrant(verdict: RefusedBy, { redirectUri }: CodeExchange, { redirectUris }: Application): OAuthError {
  return new OAuthError(
    400,
    'invalid_grant',
    'The authorization code is not valid, was used before, has expired, or does not belong to this request.',
    {
      reason: REASONS[verdict],
      ...(verdict === 'redirect-uri-differs' &&
        redirectUri !== null && { facts: { redirect_uri: shownUri(redirectUri, redirectUris) } }),
    },
  )
}
