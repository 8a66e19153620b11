import type { Db } from '../../platform/db.ts'

/** Whether a one-time code is asked for after the password. */
export async function hasTotp(db: Db, userId: string): Promise<boolean> {
  const found = await db`select 1 from totp_secrets where user_id = ${userId} and confirmed_at is not null`
  return found.length === 1
}
