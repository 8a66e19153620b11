import type { DbOrTransaction } from '../../platform/db.ts'

/** Ends every session of these people, sign-ins that wait for a one-time code, and links for a new password. */
export async function endSignIns(tx: DbOrTransaction, userIds: readonly string[]): Promise<void> {
  await tx`update sessions set ended_at = now() where user_id = any(${userIds}) and ended_at is null`
  await tx`
    update interactions set pending_user_id = null, pending_until = null where pending_user_id = any(${userIds})`
  await endResets(tx, userIds)
}

/** Links that were mailed to set a new password are good no more. */
export async function endResets(tx: DbOrTransaction, userIds: readonly string[]): Promise<void> {
  await tx`update password_resets set used_at = now() where user_id = any(${userIds}) and used_at is null`
}

/** No browser counts as theirs any more. */
export async function forgetBrowsersOf(tx: DbOrTransaction, userIds: readonly string[]): Promise<void> {
  await tx`delete from known_browsers where user_id = any(${userIds})`
}
