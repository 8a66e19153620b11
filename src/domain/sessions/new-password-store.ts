import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { revokePerson } from '../tokens/revocation-store.ts'
import { endSessionsOf } from './session-store.ts'

export type NewPassword = { userId: string; passwordHash: string; exceptSid: string | null }

export async function setNewPassword(db: Db, password: NewPassword): Promise<void> {
  await transaction(db, (tx) => replacePassword(tx, password))
}

/**
 * A new password, and everything that the old one opened is over: sessions but the one that asks, sign-ins that wait for a
 * one-time code, what applications hold, and links that were mailed to set yet another one (decisions B21, B22).
 */
export async function replacePassword(
  tx: DbOrTransaction,
  { userId, passwordHash, exceptSid }: NewPassword,
): Promise<void> {
  await tx`update users set password_hash = ${passwordHash}, updated_at = now() where id = ${userId}`
  await tx`update password_resets set used_at = now() where user_id = ${userId} and used_at is null`
  await tx`update interactions set pending_user_id = null, pending_until = null where pending_user_id = ${userId}`
  await endSessionsOf(tx, userId, exceptSid)
  await revokePerson(tx, { userId, applicationId: null }, 'new password')
}
