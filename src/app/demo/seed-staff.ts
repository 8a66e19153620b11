import { findAccount } from '../../domain/credentials/account-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { insertStaff } from '../../domain/staff/staff-store.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { HashDemoPassword } from './demo-password.ts'
import { type DemoValues, demoId } from './demo-values.ts'

/** Null when they are there already. */
type DemoAgent = { id: string; email: string; name: string; passwordHash: string } | null

export async function demoAgent(
  db: DbOrTransaction,
  cipher: Cipher,
  hashPassword: HashDemoPassword,
  values: DemoValues,
): Promise<DemoAgent> {
  const id = demoId(cipher, 'stf', 'agent')
  if ((await findAccount(db, STAFF, id)) !== null) return null
  return { id, email: values.SUPPORT_EMAIL, name: 'Demo Agent', passwordHash: await hashPassword() }
}

/** Somebody for the support console. */
export async function seedStaff(tx: DbOrTransaction, agent: DemoAgent): Promise<void> {
  if (agent !== null) await insertStaff(tx, agent)
}
