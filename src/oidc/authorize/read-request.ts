import type { ApplicationCache } from '../../domain/applications/application-cache.ts'
import { type Audiences, mayTarget, whyNotTarget } from '../../domain/tokens/audience.ts'
import { grantedScope } from '../../domain/tokens/scope.ts'
import type { Form } from '../../http/form.ts'
import { parseForm } from '../../http/form.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { AuthorizeError } from './authorize-error.ts'
import { checkPkce } from './check-pkce.ts'
import { checkMaxAge, checkPrompt } from './check-prompt.ts'
import { checkRedirectUri } from './check-redirect-uri.ts'
import { checkResponseMode, checkResponseType, defaultMode } from './check-response.ts'
import { checkNonce, checkState, returnable } from './check-state.ts'
import type { AuthorizeRequest, ProvenTarget, ReplyTarget } from './request.ts'

export type AuthorizeReader = {
  applications: ApplicationCache
  audiences: Audiences
  /** The person named by an ID token of ours, whether it has expired or not. */
  hintedUser: (idTokenHint: string, clientId: string) => Promise<string | null>
}

/** Either everything is right, or the application is told what is not. What comes before that throws, and becomes a page. */
export type ReadOutcome =
  | { kind: 'request'; request: AuthorizeRequest }
  | { kind: 'refused'; reply: ReplyTarget; error: AuthorizeError }

export async function readAuthorizeRequest(reader: AuthorizeReader, query: string): Promise<ReadOutcome> {
  const { form, repeated } = readQuery(query)
  const target = await proveTarget(reader.applications, form, repeated)
  const state = form.get('state')
  const reply: ReplyTarget = {
    application: target.application,
    redirectUri: target.redirectUri,
    mode: defaultMode(form, target.application),
    state: state !== null && returnable(state) ? state : null,
  }
  try {
    reply.mode = checkResponseMode(form, target.application)
    return { kind: 'request', request: await checkParameters(reader, target, reply, form, repeated) }
  } catch (error) {
    if (error instanceof AuthorizeError) return { kind: 'refused', reply, error }
    throw error
  }
}

/** Each line is one group of parameters of the contract's table. */
async function checkParameters(
  reader: AuthorizeReader,
  target: ProvenTarget,
  reply: ReplyTarget,
  form: Form,
  repeated: readonly string[],
): Promise<AuthorizeRequest> {
  const { application } = target
  if (repeated.length > 0) throw new AuthorizeError('invalid_request', 'A parameter was sent more than once.')
  if (form.has('request')) throw new AuthorizeError('request_not_supported', 'The parameter request is not supported.')
  if (form.has('request_uri'))
    throw new AuthorizeError('request_uri_not_supported', 'The parameter request_uri is not supported.')
  if (application.suspended) throw new AuthorizeError('unauthorized_client', 'This application is suspended.')
  checkState(form.get('state'))
  const responseType = checkResponseType(form, application)
  const audience = form.get('audience')
  if (!mayTarget(application, audience, reader.audiences)) {
    throw new AuthorizeError(
      'invalid_target',
      'The audience is unknown, or this application may not use it.',
      whyNotTarget(application, audience, reader.audiences),
    )
  }
  const idTokenHint = form.get('id_token_hint')
  return {
    ...target,
    ...reply,
    responseType,
    audience,
    scope: grantedScope(form.get('scope'), application, audience).filter(
      (word) => responseType === 'code' || word !== 'offline_access',
    ),
    nonce: checkNonce(form, application, responseType),
    codeChallenge: checkPkce(form, application, responseType),
    prompt: checkPrompt(form),
    maxAgeSeconds: checkMaxAge(form),
    loginHint: form.get('login_hint'),
    hintedUserId: idTokenHint === null ? null : await reader.hintedUser(idTokenHint, application.id),
    signUpFirst: form.get('screen_hint') === 'signup',
  }
}

function readQuery(query: string): { form: Form; repeated: readonly string[] } {
  const outcome = parseForm(query)
  if (outcome.kind === 'form') return outcome
  throw notProven('The query is not valid percent-encoding in UTF-8.')
}

async function proveTarget(
  applications: ApplicationCache,
  form: Form,
  repeated: readonly string[],
): Promise<ProvenTarget> {
  const clientId = form.get('client_id')
  if (clientId === null || repeated.includes('client_id') || repeated.includes('redirect_uri')) {
    throw notProven('client_id is missing, or it or redirect_uri came more than once.', clientId)
  }
  const application = /^[A-Za-z0-9_-]{1,64}$/.test(clientId) ? await applications.find(clientId) : null
  if (application === null) throw notProven('There is no such application, or it is deleted.', clientId)
  return checkRedirectUri(application, form.get('redirect_uri'))
}

function notProven(reason: string, applicationId: string | null = null): OAuthError {
  return new OAuthError(
    400,
    'invalid_request',
    'The application that sent you here is not known, or its request is damaged. Tell its makers the request id below.',
    { reason, applicationId },
  )
}
