import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import { isKnownBrowser } from '../../domain/sessions/known-browser-store.ts'
import { checkPassword } from '../../domain/users/check-password.ts'
import type { User } from '../../domain/users/user.ts'
import type { Browser } from '../../http/browser.ts'
import type { Attempt } from '../../http/log-attempt.ts'
import type { PageParts } from './page-parts.ts'

/** What is not right has the status and the words to say so with. */
export type PasswordTry =
  | { outcome: 'right'; user: User }
  | { outcome: 'wrong' }
  | { outcome: 'refused'; status: number; message: string; retryAfterSeconds: number }

/** Counted before it is tried, so that guesses at the same moment cannot slip through together (decision B18). */
export async function tryPassword(
  { db, passwords }: PageParts,
  browser: Browser,
  login: string,
  password: string,
): Promise<PasswordTry> {
  const limits = signInLimits(login, browser.address)
  const counted = (await isKnownBrowser(db, login, browser.id)) ? limits.inKnownBrowser : limits.all
  const log = (outcome: Attempt['outcome'], account: string | null = null) =>
    browser.logAttempt({ who: 'person', by: 'password', outcome, account })
  const allowed = await countAttempt(db, counted)
  if (!allowed.allowed) {
    log('too-many')
    return {
      outcome: 'refused',
      status: 429,
      message: 'Too many attempts. Wait a quarter of an hour, or reset your password.',
      retryAfterSeconds: allowed.retryAfterSeconds,
    }
  }
  const checked = await checkPassword(db, passwords, login, password)
  switch (checked.outcome) {
    case 'busy':
      log('busy')
      await forgive(db, counted, [])
      return {
        outcome: 'refused',
        status: 503,
        message: 'The service is busy. Try again in a moment.',
        retryAfterSeconds: 1,
      }
    case 'refused':
      log('wrong')
      return { outcome: 'wrong' }
    case 'right':
      log('right', checked.user.id)
      await forgive(db, counted, [limits.accountAndAddress])
      return checked
  }
}
