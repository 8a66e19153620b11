import type { ApplicationCache } from '../domain/applications/application-cache.ts'
import type { RegisteredApplication } from '../domain/applications/application-store.ts'
import { shownUri } from '../domain/requests/shown-uri.ts'
import { applicationsOfSession } from '../domain/sessions/session-store.ts'
import type { HintedPerson } from '../domain/tokens/verify-id-token.ts'
import { type Form, parseForm } from '../http/form.ts'
import type { Inside } from '../http/problem.ts'
import type { Db } from '../platform/db.ts'
import { returnable } from './authorize/check-state.ts'
import { OAuthError } from './oauth/oauth-error.ts'

/** What a logout asks for, with the address to return to proven (decision B21). */
export type LogoutRequest = {
  /** The session that a valid hint names: when it is this browser's, nobody needs to be asked. */
  hintedSid: string | null
  returnTo: string | null
  /** Whom the hint or client_id names, if they do. */
  applicationId: string | null
}

export type LogoutReader = {
  db: Db
  applications: ApplicationCache
  readHint: (idTokenHint: string) => Promise<HintedPerson | null>
}

export async function readLogoutRequest(reader: LogoutReader, query: string): Promise<LogoutRequest> {
  const form = readOnce(query)
  const idTokenHint = form.get('id_token_hint')
  const hint = idTokenHint === null ? null : await reader.readHint(idTokenHint)
  const clientId = form.get('client_id')
  if (hint !== null && clientId !== null && clientId !== hint.applicationId)
    throw refused('client_id and id_token_hint disagree.', hint.applicationId)
  const logoutHint = form.get('logout_hint')
  const asked = form.get('post_logout_redirect_uri')
  const applicationId = hint?.applicationId ?? clientId
  if (asked !== null) await proveReturn(reader, asked, applicationId, logoutHint)
  const returnTo = asked === null ? null : withState(asked, form.get('state'), applicationId)
  return { hintedSid: hint?.sid ?? logoutHint, returnTo, applicationId }
}

/** The application that the hint or client_id names must be allowed it; by logout_hint alone, one that got tokens in that session. */
async function proveReturn(
  reader: LogoutReader,
  uri: string,
  applicationId: string | null,
  logoutHint: string | null,
): Promise<void> {
  const candidates =
    applicationId !== null
      ? [applicationId]
      : logoutHint === null
        ? []
        : await applicationsOfSession(reader.db, logoutHint)
  const known: RegisteredApplication[] = []
  for (const id of candidates) {
    const application = /^[A-Za-z0-9_-]{1,64}$/.test(id) ? await reader.applications.find(id) : null
    if (application?.postLogoutRedirectUris.includes(uri)) return
    if (application !== null) known.push(application)
  }
  const allowed = known.flatMap(({ postLogoutRedirectUris }) => postLogoutRedirectUris)
  const facts = { post_logout_redirect_uri: shownUri(uri, allowed) }
  throw refused('post_logout_redirect_uri is not allowed for the application.', known[0]?.id ?? candidates[0], {
    facts,
    applicationIsKnown: known.length > 0,
  })
}

function readOnce(query: string): Form {
  const outcome = parseForm(query)
  if (outcome.kind === 'form' && outcome.repeated.length === 0) return outcome.form
  throw refused('The query is malformed, or a parameter came more than once.')
}

function withState(uri: string, state: string | null, applicationId: string | null): string {
  if (state === null) return uri
  if (!returnable(state)) throw refused('state has control characters or is too long.', applicationId)
  return `${uri}${uri.includes('?') ? '&' : '?'}state=${encodeURIComponent(state)}`
}

function refused(
  reason: string,
  applicationId: string | null = null,
  more: Pick<Inside, 'facts' | 'applicationIsKnown'> = {},
): OAuthError {
  return new OAuthError(
    400,
    'invalid_request',
    'The application asked to sign you out in a way that is not allowed for it. You are still signed in. Tell its makers the request id below.',
    { reason, applicationId, ...more },
  )
}
