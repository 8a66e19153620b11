import type { Db } from '../../platform/db.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import type { User } from './user.ts'
import { findUserByLogin, hasPassword } from './user-store.ts'

export type PasswordCheck = { outcome: 'right'; user: User } | { outcome: 'refused' } | { outcome: 'busy' }

/**
 * Somebody unknown, somebody without a password and somebody blocked cost as much time as a wrong password does: a hash is
 * computed in every case (decision B18).
 */
export async function checkPassword(
  db: Db,
  passwords: PasswordHasher,
  login: string,
  password: string,
): Promise<PasswordCheck> {
  const found = await findUserByLogin(db, login)
  const verdict = await passwords.verify(password, found?.passwordHash ?? NOBODYS_HASH)
  if (verdict === 'busy') return { outcome: 'busy' }
  if (verdict === 'mismatch' || !found?.passwordHash || found.blocked) return { outcome: 'refused' }
  // Meanwhile the password may have been replaced or taken away, or the person blocked: then it opens nothing any more.
  const isStillTheirs = await hasPassword(db, found.user.id, found.passwordHash)
  return isStillTheirs ? { outcome: 'right', user: found.user } : { outcome: 'refused' }
}

/** With the parameters that every real one has; no password is known for it. */
export const NOBODYS_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
