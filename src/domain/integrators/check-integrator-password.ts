import type { Db } from '../../platform/db.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import { NOBODYS_HASH } from '../users/check-password.ts'
import type { Integrator } from './integrator.ts'
import { findIntegratorByEmail, hasIntegratorPassword } from './integrator-store.ts'

export type IntegratorCheck =
  | { outcome: 'right'; integrator: Integrator }
  | { outcome: 'refused' }
  | { outcome: 'busy' }

/** An unknown address costs as much time as a wrong password does (decision B18). */
export async function checkIntegratorPassword(
  db: Db,
  passwords: PasswordHasher,
  email: string,
  password: string,
): Promise<IntegratorCheck> {
  const found = await findIntegratorByEmail(db, email)
  const verdict = await passwords.verify(password, found?.passwordHash ?? NOBODYS_HASH)
  if (verdict === 'busy') return { outcome: 'busy' }
  if (verdict === 'mismatch' || found === null) return { outcome: 'refused' }
  // Meanwhile the password may have been replaced: then it opens nothing any more.
  const isStillTheirs = await hasIntegratorPassword(db, found.integrator.id, found.passwordHash)
  return isStillTheirs ? { outcome: 'right', integrator: found.integrator } : { outcome: 'refused' }
}
