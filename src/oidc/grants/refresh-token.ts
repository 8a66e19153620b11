import { issueUserAccessToken } from '../../domain/tokens/access-token.ts'
import { issueIdToken } from '../../domain/tokens/id-token.ts'
import type { RefreshVerdict } from '../../domain/tokens/refresh-token.ts'
import { useRefreshToken } from '../../domain/tokens/refresh-token-store.ts'
import { scopeWords, stillAllowed } from '../../domain/tokens/scope.ts'
import { required } from '../oauth/form-body.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { Grant } from './grant.ts'

/** RFC 6749 6. The token is used up and a new one takes its place, unless support set it otherwise (decision B13). */
export const refreshToken: Grant = {
  allowed: () => true,

  async run({ db, rotateRefreshToken, issuer, audiences, clock }, { application }, form) {
    const asked = form.get('scope')
    const scope = asked === null ? null : scopeWords(asked)
    // Before it is judged: what revokes this person's tokens from here on hits this one as well.
    const now = clock()
    const outcome = await useRefreshToken(db, rotateRefreshToken, {
      token: required(form, 'refresh_token'),
      scope,
      application,
      audiences: application.environments.map((environment) => audiences[environment]),
    })
    if (outcome.verdict === 'scope-exceeded') {
      throw new OAuthError(400, 'invalid_scope', 'The scope asks for more than was allowed at first.')
    }
    if (outcome.verdict === 'target-closed') throw targetClosed()
    if (outcome.verdict !== 'valid') throw invalidGrant(outcome.verdict)
    const { authorization } = outcome
    // A reduced scope is for this access token only; the next refresh may ask for all of it again.
    const granted = stillAllowed(scope ?? authorization.scope, application)
    const accessToken = await issueUserAccessToken(issuer, authorization, granted, now)
    const bound = { nonce: null, accessToken: accessToken.token }
    const idToken = await issueIdToken(issuer, application.idTokenAlgorithm, authorization, bound, now)
    return { accessToken, idToken, refreshToken: outcome.refreshToken }
  },
}

/** What the application's own makers may know; the answer says the same to everybody. */
const REASONS: Record<RefusedBy, string> = {
  unknown: 'The refresh token is not one of ours, or it is long gone.',
  'of-another-application': 'The refresh token was issued to another application.',
  expired: 'The refresh token has expired.',
  revoked: 'The refresh token was revoked.',
  reused: 'The refresh token was used before; it and everything that came of it is revoked.',
}

type RefusedBy = Exclude<RefreshVerdict, 'valid' | 'retried' | 'scope-exceeded' | 'target-closed'>

function targetClosed(): OAuthError {
  return new OAuthError(400, 'invalid_target', 'The audience is unknown, or this application may not use it.', {
    reason: 'The refresh token is for an environment that this application may not use any more.',
  })
}

function invalidGrant(verdict: RefusedBy): OAuthError {
  return new OAuthError(
    400,
    'invalid_grant',
    'The refresh token is not valid, was used before, has expired or was revoked.',
    { reason: REASONS[verdict] },
  )
}
