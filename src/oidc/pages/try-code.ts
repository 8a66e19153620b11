import { codeLimits } from '../../domain/limits/code-limits.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { hasSignedInWith } from '../../domain/sessions/known-browser-store.ts'
import { readRecoveryCode } from '../../domain/users/recovery-code.ts'
import { useRecoveryCode, useTotpCode } from '../../domain/users/totp-store.ts'
import type { Browser } from '../../http/browser.ts'
import type { PageParts } from './page-parts.ts'

export type CodeTry = 'right' | 'wrong' | 'too-many'

/** A code from the person's app, or one of their recovery codes; each is good once. Counted before it is tried. */
export async function tryCode(
  { db, cipher, clock }: PageParts,
  browser: Browser,
  userId: string,
  typed: string,
): Promise<CodeTry> {
  const known = await hasSignedInWith(db, userId, browser.id)
  const limits = codeLimits(userId, known ? browser.id : null)
  const said = (outcome: CodeTry): CodeTry => {
    browser.logAttempt({ who: 'person', by: 'one-time code', outcome, account: userId })
    return outcome
  }
  const allowed = await countAttempt(db, limits.all)
  if (!allowed.allowed) return said('too-many')
  const recoveryCode = readRecoveryCode(typed)
  const right =
    recoveryCode === null
      ? await useTotpCode(db, cipher, { userId, code: typed, now: clock() })
      : await useRecoveryCode(db, userId, recoveryCode)
  if (!right) return said('wrong')
  await forgive(db, limits.all, [limits.quarterHour])
  return said('right')
}
