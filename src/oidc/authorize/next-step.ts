import type { Interaction } from '../../domain/sessions/interaction-store.ts'
import type { Session } from '../../domain/sessions/session.ts'
import { isLoopbackHost } from '../../platform/loopback.ts'
import type { AuthorizeErrorCode } from './authorize-error.ts'
import type { AuthorizeRequest } from './request.ts'

/** What stands between a request and its answer, decided from what is stored and nothing else. */
export type Step = 'sign-in' | 'sign-up' | 'wrong-person' | 'select-account' | 'consent' | 'issue'

export type Situation = {
  request: AuthorizeRequest
  session: Session | null
  /** What this person has allowed this application before; null when nothing ever. */
  allowedScope: readonly string[] | null
  interaction: Pick<Interaction, 'createdAt' | 'consentedAt' | 'selectedAt'> | null
  now: Date
}

export function nextStep(situation: Situation): Step {
  const { request, session, interaction } = situation
  // Asked once, for whom the hint names; who signs in as another again would be asked for ever.
  if (session !== null && isAnother(request, session) && signedInFor(interaction, session.authTime))
    return 'wrong-person'
  if (session === null || mustSignInAgain(situation, session)) {
    return request.signUpFirst && session === null ? 'sign-up' : 'sign-in'
  }
  if (request.prompt.has('select_account') && !hasChosen(interaction, session)) return 'select-account'
  return mustConsent(situation, session) ? 'consent' : 'issue'
}

/** With prompt=none nobody is asked anything, so what would be asked is an error (OpenID Core 3.1.2.6). */
export function silentError(step: Exclude<Step, 'issue'>): AuthorizeErrorCode {
  switch (step) {
    case 'sign-in':
    case 'sign-up':
    case 'wrong-person':
      return 'login_required'
    case 'select-account':
      return 'account_selection_required'
    case 'consent':
      return 'consent_required'
  }
}

/**
 * prompt=login is met only by signing in after the request came, max_age by having signed in that recently, and an
 * id_token_hint by being that person. Opening the continue address again changes none of it.
 */
function mustSignInAgain({ request, interaction, now }: Situation, session: Session): boolean {
  const { authTime } = session
  if (isAnother(request, session)) return true
  if (request.prompt.has('login') && !signedInFor(interaction, authTime)) return true
  if (request.maxAgeSeconds === null) return false
  return !signedInFor(interaction, authTime) && now.getTime() - authTime.getTime() > request.maxAgeSeconds * 1_000
}

function isAnother({ hintedUserId }: AuthorizeRequest, { user }: Session): boolean {
  return hintedUserId !== null && hintedUserId !== user.id
}

function signedInFor(interaction: Situation['interaction'], authTime: Date): boolean {
  return interaction !== null && authTime >= interaction.createdAt
}

/** On the page that asks, or by signing in for this very request. */
function hasChosen(interaction: Situation['interaction'], { authTime }: Session): boolean {
  return signedInFor(interaction, authTime) || isOfSession(interaction?.selectedAt ?? null, authTime)
}

/** Whoever signs in later in the same browser did not say what was said before that. */
function isOfSession(said: Date | null, authTime: Date): boolean {
  return said !== null && said >= authTime
}

/** Decision B20: once per person, application, scopes and audience; a native application that others can imitate always asks. */
function mustConsent({ request, allowedScope, interaction }: Situation, { authTime }: Session): boolean {
  if (isOfSession(interaction?.consentedAt ?? null, authTime)) return false
  if (request.prompt.has('consent')) return true
  if (request.application.firstParty) return false
  if (request.application.type === 'native' && canBeImitated(request.redirectUri)) return true
  return allowedScope === null || request.scope.some((word) => !allowedScope.includes(word))
}

/** RFC 8252 8.6: any program on the device can listen on loopback or claim a private scheme. */
function canBeImitated(redirectUri: string): boolean {
  return !redirectUri.startsWith('https:') || isLoopbackHost(new URL(redirectUri).hostname)
}
