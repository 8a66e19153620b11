import { tryAccountPassword } from '../../domain/credentials/try-account-password.ts'
import { INTEGRATOR_ACCOUNTS, type Integrator } from '../../domain/integrators/integrator.ts'
import type { PortalParts } from './parts.ts'
import type { PortalBrowser } from './visit.ts'

/** What is not right has the status and the words to say so with. */
export type PasswordTry =
  | { outcome: 'right'; integrator: Integrator }
  | { outcome: 'wrong' }
  | { outcome: 'refused'; status: number; message: string; retryAfterSeconds: number }

export async function tryPassword(
  parts: PortalParts,
  browser: PortalBrowser,
  email: string,
  password: string,
): Promise<PasswordTry> {
  const tried = await tryAccountPassword(parts, INTEGRATOR_ACCOUNTS, browser, email, password)
  const { outcome } = tried
  const account = outcome === 'right' ? tried.account.id : null
  browser.logAttempt({ who: 'integrator', by: 'password', outcome, account })
  switch (tried.outcome) {
    case 'too-many':
      return { ...tried, outcome: 'refused', status: 429, message: TOO_MANY }
    case 'busy':
      return { ...tried, outcome: 'refused', status: 503, message: BUSY }
    case 'wrong':
      return tried
    case 'right':
      return { outcome: 'right', integrator: tried.account }
  }
}

const TOO_MANY = 'Too many attempts. Wait a quarter of an hour, or reset your password.'
export const BUSY = 'The service is busy. Try again in a moment.'
