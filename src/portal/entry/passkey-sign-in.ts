import type { FastifyReply } from 'fastify'
import { challengeToSignIn, takeChallengeToSignIn } from '../../domain/integrators/passkey-challenge-store.ts'
import { findKey, noteKeyUse } from '../../domain/integrators/passkey-store.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { challengeLimit, passkeyLimit } from '../../domain/limits/passkey-limits.ts'
import type { Attempt } from '../../http/log-attempt.ts'
import { Problem } from '../../http/problem.ts'
import { checkAssertion, readAssertion, relyingPartyAt } from '../../platform/webauthn.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { requestOptions, userHandleOf } from '../threshold/passkey-options.ts'
import { signInBrowser } from '../threshold/sign-in-browser.ts'
import { goTo, type Visit } from '../threshold/visit.ts'
import { afterwards, errandOf } from './errand.ts'
import { showSignIn } from './sign-in.ts'

const NOT_TAKEN =
  'That passkey did not work: it is not known here any more, or it took too long. Try again, or use your password.'
const TOO_MANY = 'Too many attempts. Wait a quarter of an hour, or sign in with your password.'

/** /portal/sign-in/passkey: signs in whoever the passkey belongs to, with no password and no code (decision record 80). */
export function passkeySignInRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts
  const party = relyingPartyAt(parts.authUrl)

  async function begin({ reply, browser }: Visit): Promise<FastifyReply> {
    const allowed = await countAttempt(db, [challengeLimit(browser.address)])
    if (!allowed.allowed)
      throw new Problem(429, 'too_many_attempts', 'Too many attempts', TOO_MANY, {
        headers: { 'retry-after': String(allowed.retryAfterSeconds) },
      })
    return reply.send(requestOptions(party, await challengeToSignIn(db, browser.id)))
  }

  async function signIn(visit: Visit): Promise<FastifyReply> {
    const { reply, browser, form } = visit
    const limit = passkeyLimit(browser.address)
    const allowed = await countAttempt(db, [limit])
    const log = (outcome: Attempt['outcome'], account: string | null = null) =>
      browser.logAttempt({ who: 'integrator', by: 'passkey', outcome, account })
    if (!allowed.allowed) {
      log('too-many')
      reply.header('retry-after', String(allowed.retryAfterSeconds))
      return showSignIn(parts, visit, 429, { email: '', error: TOO_MANY })
    }
    const integratorId = await whoSigned(browser.id, form.get('credential') ?? '')
    log(integratorId === null ? 'wrong' : 'right', integratorId)
    if (integratorId === null) return showSignIn(parts, visit, 400, { email: '', error: NOT_TAKEN })
    await forgive(db, [limit], [])
    await signInBrowser(parts, reply, browser, integratorId)
    return goTo(reply, afterwards(errandOf(parts, visit)))
  }

  /** The challenge is spent first, so that nothing can be tried twice; the key's own count decides between uses at once. */
  async function whoSigned(browser: string, credential: string): Promise<string | null> {
    const challenge = await takeChallengeToSignIn(db, browser)
    const assertion = readAssertion(credential)
    if (challenge === null || assertion === null) return null
    const key = await findKey(db, assertion.id)
    if (key === null || assertion.response.userHandle !== userHandleOf(key.integratorId)) return null
    const used = await checkAssertion(party, challenge, assertion, key)
    return used !== null && (await noteKeyUse(db, key.id, used)) ? key.integratorId : null
  }

  return [
    { method: 'POST', path: '/sign-in/passkey/challenge', who: 'anyone', answer: begin },
    { method: 'POST', path: '/sign-in/passkey', who: 'anyone', answer: signIn },
  ]
}
