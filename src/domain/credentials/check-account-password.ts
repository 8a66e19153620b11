import type { Db } from '../../platform/db.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import { NOBODYS_HASH } from '../users/check-password.ts'
import type { Account, AccountKind } from './account-kind.ts'
import { findAccountByEmail, hasPasswordHash } from './account-store.ts'

export type AccountCheck = { outcome: 'right'; account: Account } | { outcome: 'refused' } | { outcome: 'busy' }

/** An unknown address, and one without a password yet, cost as much time as a wrong password does (decision B18). */
export async function checkAccountPassword(
  db: Db,
  kind: AccountKind,
  passwords: PasswordHasher,
  email: string,
  password: string,
): Promise<AccountCheck> {
  const found = await findAccountByEmail(db, kind, email)
  const verdict = await passwords.verify(password, found?.passwordHash ?? NOBODYS_HASH)
  if (verdict === 'busy') return { outcome: 'busy' }
  if (verdict === 'mismatch' || found === null || found.passwordHash === null) return { outcome: 'refused' }
  // Meanwhile the password may have been replaced: then it opens nothing any more.
  const isStillTheirs = await hasPasswordHash(db, kind, found.account.id, found.passwordHash)
  return isStillTheirs ? { outcome: 'right', account: found.account } : { outcome: 'refused' }
}
