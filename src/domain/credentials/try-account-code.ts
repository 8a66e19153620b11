import type { Cipher } from '../../platform/cipher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { codeLimits } from '../limits/code-limits.ts'
import { countAttempt, forgive } from '../limits/failure-store.ts'
import { readRecoveryCode } from '../users/recovery-code.ts'
import type { Account, AccountKind } from './account-kind.ts'
import { isAccountsBrowser } from './account-session-store.ts'
import { useAccountCode, useAccountRecoveryCode } from './account-totp-store.ts'

export type AccountCodeTry = 'right' | 'wrong' | 'too-many'

/** A code from the app, or one of the recovery codes; each is good once. Counted before it is tried. */
export async function tryAccountCode(
  { db, cipher, clock }: { db: Db; cipher: Cipher; clock: Clock },
  kind: AccountKind,
  browser: { id: string },
  { id, email }: Pick<Account, 'id' | 'email'>,
  typed: string,
): Promise<AccountCodeTry> {
  const known = await isAccountsBrowser(db, kind, email, browser.id)
  const limits = codeLimits(id, known ? browser.id : null)
  const allowed = await countAttempt(db, limits.all)
  if (!allowed.allowed) return 'too-many'
  const recoveryCode = readRecoveryCode(typed)
  const right =
    recoveryCode === null
      ? await useAccountCode(db, kind, cipher, { id, code: typed, now: clock() })
      : await useAccountRecoveryCode(db, kind, id, recoveryCode)
  if (!right) return 'wrong'
  await forgive(db, limits.all, [limits.quarterHour])
  return 'right'
}
