import type { DbOrTransaction } from '../../platform/db.ts'
import { findAccount, findAccountByEmail, renameAccount, replaceAccountPassword } from '../credentials/account-store.ts'
import { foldLogin } from '../users/user.ts'
import { INTEGRATOR_ACCOUNTS, type Integrator } from './integrator.ts'

/** Answers whether the account is new; an address that has one is left as it is. */
export async function insertIntegrator(
  tx: DbOrTransaction,
  { id, email, name, passwordHash }: Integrator & { passwordHash: string },
): Promise<boolean> {
  const inserted = await tx`
    insert into integrators (id, email, email_folded, name, password_hash)
    values (${id}, ${email}, ${foldLogin(email)}, ${name}, ${passwordHash})
    on conflict do nothing returning 1`
  return inserted.length === 1
}

export async function findIntegratorByEmail(
  db: DbOrTransaction,
  email: string,
): Promise<{ integrator: Integrator; passwordHash: string | null } | null> {
  const found = await findAccountByEmail(db, INTEGRATOR_ACCOUNTS, email)
  return found && { integrator: found.account, passwordHash: found.passwordHash }
}

export function findIntegrator(db: DbOrTransaction, id: string): Promise<Integrator | null> {
  return findAccount(db, INTEGRATOR_ACCOUNTS, id)
}

/** When the account was made. */
export async function integratorSince(db: DbOrTransaction, id: string): Promise<Date | null> {
  const [row] = await db<Array<{ created_at: Date }>>`select created_at from integrators where id = ${id}`
  return row?.created_at ?? null
}

/** Answers the name before. */
export function renameIntegrator(tx: DbOrTransaction, id: string, name: string): Promise<string | null> {
  return renameAccount(tx, INTEGRATOR_ACCOUNTS, id, name)
}

/**
 * A new password, and everything that the old one opened is over: sessions but the one that asks, sign-ins that wait for a
 * one-time code, passkeys about to be added, and links that were mailed to set yet another one (decision B22). Passkeys that
 * are there stay: they are another way in, and the pages say so.
 */
export async function replaceIntegratorPassword(
  tx: DbOrTransaction,
  replaced: { id: string; passwordHash: string; exceptSid: string | null },
): Promise<void> {
  await replaceAccountPassword(tx, INTEGRATOR_ACCOUNTS, replaced)
  await endPasskeysUnderWay(tx, replaced.id)
}

/** Those that are about to be added: whoever began may not be whoever has the new password. */
export async function endPasskeysUnderWay(tx: DbOrTransaction, id: string): Promise<void> {
  await tx`delete from integrator_passkey_challenges where integrator_id = ${id}`
}
