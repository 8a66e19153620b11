import { checkIntegratorPassword } from '../../domain/integrators/check-integrator-password.ts'
import type { Integrator } from '../../domain/integrators/integrator.ts'
import { isIntegratorsBrowser } from '../../domain/integrators/integrator-session-store.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import type { PortalParts } from './parts.ts'
import type { PortalBrowser } from './visit.ts'

export type PasswordTry =
  | { outcome: 'right'; integrator: Integrator }
  | { outcome: 'wrong' }
  | { outcome: 'refused'; status: number; message: string; retryAfterSeconds: number }

/** Counted before it is tried, so that guesses at the same moment cannot slip through together (decision B18). */
export async function tryPassword(
  { db, passwords }: PortalParts,
  browser: PortalBrowser,
  email: string,
  password: string,
): Promise<PasswordTry> {
  const limits = signInLimits(email, browser.address, 'portal sign-in')
  const counted = (await isIntegratorsBrowser(db, email, browser.id)) ? limits.inKnownBrowser : limits.all
  const allowed = await countAttempt(db, counted)
  if (!allowed.allowed)
    return {
      outcome: 'refused',
      status: 429,
      message: 'Too many attempts. Wait a quarter of an hour, or reset your password.',
      retryAfterSeconds: allowed.retryAfterSeconds,
    }
  const checked = await checkIntegratorPassword(db, passwords, email, password)
  switch (checked.outcome) {
    case 'busy':
      await forgive(db, counted, [])
      return { outcome: 'refused', status: 503, message: BUSY, retryAfterSeconds: 1 }
    case 'refused':
      return { outcome: 'wrong' }
    case 'right':
      await forgive(db, counted, [limits.accountAndAddress])
      return checked
  }
}

export const BUSY = 'The service is busy. Try again in a moment.'
