import type { RegisteredApplication } from '../../domain/applications/application-store.ts'
import { isRegisteredRedirectUri } from '../../domain/applications/redirect-uri.ts'
import type { RequestFacts } from '../../domain/requests/logged-request.ts'
import { shownUri } from '../../domain/requests/shown-uri.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import type { ProvenTarget } from './request.ts'

/**
 * Decision B8: the exact string that is registered; when none is sent, the only one that is. Anything else is answered with a
 * page and never with a redirect, or we would send people wherever a stranger likes.
 */
export function checkRedirectUri(application: RegisteredApplication, sent: string | null): ProvenTarget {
  const registered = application.redirectUris
  if (sent === null) {
    const [only, ...others] = registered
    if (only === undefined || others.length > 0) {
      const known = only === undefined ? 'none is registered' : 'several are registered'
      throw refused(application, `redirect_uri was not sent, and ${known}.`)
    }
    return { application, redirectUri: only, redirectUriSent: null }
  }
  if (!isRegisteredRedirectUri(application, sent)) {
    throw refused(application, 'redirect_uri is not registered.', { redirect_uri: shownUri(sent, registered) })
  }
  return { application, redirectUri: sent, redirectUriSent: sent }
}

function refused({ id }: RegisteredApplication, reason: string, facts: RequestFacts = {}): OAuthError {
  return new OAuthError(
    400,
    'invalid_request',
    'The application that sent you here did not say correctly where to return to. Tell its makers the request id below.',
    { reason, facts, applicationId: id, applicationIsKnown: true },
  )
}
