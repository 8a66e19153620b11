import type { Db } from '../../platform/db.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import { countAttempt, forgive } from '../limits/failure-store.ts'
import { signInLimits } from '../limits/sign-in-limits.ts'
import type { Account, AccountKind } from './account-kind.ts'
import { isAccountsBrowser } from './account-session-store.ts'
import { checkAccountPassword } from './check-account-password.ts'

/** The doors have the words for what is not right. */
export type AccountPasswordTry =
  | { outcome: 'right'; account: Account }
  | { outcome: 'wrong' }
  | { outcome: 'too-many'; retryAfterSeconds: number }
  | { outcome: 'busy'; retryAfterSeconds: number }

/** Counted before it is tried, so that guesses at the same moment cannot slip through together (decision B18). */
export async function tryAccountPassword(
  { db, passwords }: { db: Db; passwords: PasswordHasher },
  kind: AccountKind,
  browser: { id: string; address: string },
  email: string,
  password: string,
): Promise<AccountPasswordTry> {
  const limits = signInLimits(email, browser.address, kind.place)
  const counted = (await isAccountsBrowser(db, kind, email, browser.id)) ? limits.inKnownBrowser : limits.all
  const allowed = await countAttempt(db, counted)
  if (!allowed.allowed) return { outcome: 'too-many', retryAfterSeconds: allowed.retryAfterSeconds }
  const checked = await checkAccountPassword(db, kind, passwords, email, password)
  switch (checked.outcome) {
    case 'busy':
      await forgive(db, counted, [])
      return { outcome: 'busy', retryAfterSeconds: 1 }
    case 'refused':
      return { outcome: 'wrong' }
    case 'right':
      await forgive(db, counted, [limits.accountAndAddress])
      return checked
  }
}
