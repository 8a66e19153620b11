import type { Application } from '../../domain/applications/application.ts'
import { issueApplicationAccessToken } from '../../domain/tokens/access-token.ts'
import { type Audiences, mayTarget, whyNotTarget } from '../../domain/tokens/audience.ts'
import { required } from '../oauth/form-body.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { authenticationFailed } from '../oauth/presented-client.ts'
import type { Grant } from './grant.ts'

/** RFC 6749 4.4. Off for each application until support turns it on; costs no statement once the application is cached. */
export const clientCredentials: Grant = {
  allowed: (application) => application.clientCredentials,

  async run({ issuer, audiences, clock }, { application, confidential }, form) {
    // Only who keeps a secret can act for itself, whatever the setting says (RFC 6749 4.4.2).
    if (!confidential) throw authenticationFailed('none', 'client_credentials needs the client secret.')
    const audience = required(form, 'audience')
    if (!mayTarget(application, audience, audiences)) throw invalidTarget(application, audience, audiences)
    const accessToken = await issueApplicationAccessToken(
      issuer,
      application.id,
      audience,
      application.apiScopes,
      clock(),
    )
    return { accessToken, idToken: null, refreshToken: null }
  },
}

export function invalidTarget(application: Application, audience: string | null, audiences: Audiences): OAuthError {
  return new OAuthError(400, 'invalid_target', 'The audience is unknown, or this application may not use it.', {
    reason: whyNotTarget(application, audience, audiences),
  })
}
