import type { RegisteredApplication } from '../../domain/applications/application-store.ts'
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
      throw refused(only === undefined ? 'no redirect URI is registered' : 'several are registered and none was sent')
    }
    return { application, redirectUri: only, redirectUriSent: null }
  }
  const matches =
    registered.includes(sent) || (application.type === 'native' && registered.some((uri) => sameButForPort(uri, sent)))
  if (!matches) throw refused('the redirect URI is not registered')
  return { application, redirectUri: sent, redirectUriSent: sent }
}

const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/

/** RFC 8252 7.3: a native application listens on whatever loopback port it was given; all else is compared as it stands. */
function sameButForPort(registered: string, sent: string): boolean {
  const [known, asked] = [LOOPBACK.exec(registered), LOOPBACK.exec(sent)]
  if (!known || !asked) return false
  return known[1] === asked[1] && registered.slice(known[0].length) === sent.slice(asked[0].length)
}

function refused(reason: string): OAuthError {
  return new OAuthError(
    400,
    'invalid_request',
    'The application that sent you here did not say correctly where to return to. Tell its makers the request id below.',
    { reason },
  )
}
