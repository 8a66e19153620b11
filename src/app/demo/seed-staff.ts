import { findAccount } from '../../domain/credentials/account-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { insertStaff } from '../../domain/staff/staff-store.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import { type DemoValues, demoId } from './demo-values.ts'

/** Null when they are there already, or when hashing is too busy to make them now. */
type DemoAgent = { id: string; email: string; name: string; passwordHash: string } | null

export async function demoAgent(
  db: DbOrTransaction,
  cipher: Cipher,
  passwords: PasswordHasher,
  values: DemoValues,
): Promise<DemoAgent> {
  const id = demoId(cipher, 'stf', 'agent')
  if ((await findAccount(db, STAFF, id)) !== null) return null
  const passwordHash = await passwords.hash(values.DEMO_PASSWORD)
  return passwordHash === null ? null : { id, email: values.SUPPORT_EMAIL, name: 'Demo Agent', passwordHash }
}

/** Somebody for the support console. */
export async function seedStaff(tx: DbOrTransaction, agent: DemoAgent): Promise<void> {
  if (agent !== null) await insertStaff(tx, agent)
}
