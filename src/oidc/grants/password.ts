import { allowScope } from '../../domain/consents/consent-store.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import { issueUserAccessToken } from '../../domain/tokens/access-token.ts'
import { mayTarget } from '../../domain/tokens/audience.ts'
import type { Authorization } from '../../domain/tokens/authorization.ts'
import { startFamily } from '../../domain/tokens/refresh-token-store.ts'
import { grantedScope } from '../../domain/tokens/scope.ts'
import { checkPassword } from '../../domain/users/check-password.ts'
import { hasTotp } from '../../domain/users/totp-store.ts'
import { newId } from '../../platform/ids.ts'
import { required } from '../oauth/form-body.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { invalidTarget } from './client-credentials.ts'
import type { Grant } from './grant.ts'

/** RFC 6749 4.3: discouraged, for highly trusted applications, on by support only. Never an ID token (decision B6). */
export const password: Grant = {
  allowed: (application) => application.passwordGrant,

  async run({ db, issuer, audiences, clock, passwords }, { application, address }, form) {
    const username = required(form, 'username')
    const presented = required(form, 'password')
    const audience = form.get('audience')
    if (!mayTarget(application, audience, audiences)) throw invalidTarget(application, audience, audiences)

    const limits = signInLimits(username, address)
    const attempt = await countAttempt(db, limits.all)
    if (!attempt.allowed) throw tooManyFailures(attempt.retryAfterSeconds)
    // Before it is judged: what revokes this person's tokens from here on hits this one as well.
    const now = clock()
    const checked = await checkPassword(db, passwords, username, presented)
    if (checked.outcome === 'busy') {
      await forgive(db, limits.all, [])
      throw new OAuthError(503, 'temporarily_unavailable', 'Too many people are signing in. Try again after a pause.')
    }
    if (checked.outcome === 'refused') {
      throw new OAuthError(400, 'invalid_grant', 'The username or the password is not right.')
    }
    await forgive(db, limits.all, [limits.accountAndAddress])
    // Said only now, so that nobody without the password learns who has one-time codes.
    if (await hasTotp(db, checked.user.id)) {
      throw new OAuthError(
        400,
        'invalid_grant',
        'This person signs in with a one-time code, which this grant cannot ask for: send them to /oidc/authorize instead.',
        { reason: 'This person signs in with a one-time code, which the password grant cannot ask for.' },
      )
    }

    const authorization: Authorization = {
      grantId: newId('grt'),
      applicationId: application.id,
      user: checked.user,
      scope: grantedScope(form.get('scope'), application, audience),
      audience,
      // No browser signed in, so this session is one in name only; tokens of a person always carry a sid.
      sid: newId('ses'),
      authTime: now,
    }
    // Who gives their password to an application allows it what it asks for; its webhooks rest on that (decision D2).
    await allowScope(db, { userId: checked.user.id, applicationId: application.id, audience }, authorization.scope)
    const offline = authorization.scope.includes('offline_access')
    const refreshToken = offline ? await startFamily(db, authorization, application.refreshLifetimeSeconds) : null
    return {
      accessToken: await issueUserAccessToken(issuer, authorization, authorization.scope, now),
      idToken: null,
      refreshToken,
    }
  },
}

function tooManyFailures(seconds: number): OAuthError {
  return new OAuthError(429, 'too_many_requests', `Too many attempts to sign in. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
    reason: 'Too many attempts to sign in as this person, or from this address.',
  })
}
