import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { matchingStep } from './totp.ts'

/** Whether a one-time code is asked for after the password. */
export async function hasTotp(db: Db, userId: string): Promise<boolean> {
  const found = await db`select 1 from totp_secrets where user_id = ${userId}`
  return found.length === 1
}

export type Totp = { enrolledAt: Date; recoveryCodes: number }

export async function findTotp(db: Db, userId: string): Promise<Totp | null> {
  const [row] = await db<Array<{ enrolled_at: Date; codes: number }>>`
    select enrolled_at, (select count(*)::int from recovery_codes where recovery_codes.user_id = totp_secrets.user_id) as codes
    from totp_secrets where user_id = ${userId}`
  return row ? { enrolledAt: row.enrolled_at, recoveryCodes: row.codes } : null
}

export type Enrolment = { userId: string; secret: Uint8Array; step: number; recoveryCodes: readonly string[] }

/** The step of the code that confirmed it counts as used. Answers false when the person has one-time codes already. */
export async function enrolTotp(db: Db, cipher: Cipher, enrolment: Enrolment): Promise<boolean> {
  const { userId, secret, step, recoveryCodes } = enrolment
  return transaction(db, async (tx) => {
    const inserted = await tx`
      insert into totp_secrets (user_id, secret_sealed, last_step)
      values (${userId}, ${cipher.encrypt(secret, contextOf(userId))}, ${step})
      on conflict do nothing returning 1`
    if (inserted.length === 1) await insertRecoveryCodes(tx, userId, recoveryCodes)
    return inserted.length === 1
  })
}

/** Answers whether the code is right and was not used before: of any number of uses at the same moment, one is. */
export async function useTotpCode(
  db: Db,
  cipher: Cipher,
  { userId, code, now }: { userId: string; code: string; now: Date },
): Promise<boolean> {
  const [row] = await db<
    Array<{ secret_sealed: Buffer }>
  >`select secret_sealed from totp_secrets where user_id = ${userId}`
  if (!row) return false
  const step = matchingStep(cipher.decrypt(row.secret_sealed, contextOf(userId)), code, now)
  if (step === null) return false
  // The secret is compared as well: it may have been replaced since it was read.
  const used = await db`
    update totp_secrets set last_step = ${step}
    where user_id = ${userId} and last_step < ${step} and secret_sealed = ${row.secret_sealed} returning 1`
  return used.length === 1
}

export async function useRecoveryCode(db: Db, userId: string, code: string): Promise<boolean> {
  const used = await db`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${secretHash(code)} returning 1`
  return used.length === 1
}

/** The ones before are good no more. Answers false when the person has no one-time codes to recover. */
export async function replaceRecoveryCodes(db: Db, userId: string, codes: readonly string[]): Promise<boolean> {
  return transaction(db, async (tx) => {
    const held = await tx`select 1 from totp_secrets where user_id = ${userId} for update`
    if (held.length === 0) return false
    await tx`delete from recovery_codes where user_id = ${userId}`
    await insertRecoveryCodes(tx, userId, codes)
    return true
  })
}

/** Recovery codes go with it. Answers whether there was one. */
export async function removeTotp(db: DbOrTransaction, userId: string): Promise<boolean> {
  const removed = await db`delete from totp_secrets where user_id = ${userId} returning 1`
  return removed.length === 1
}

/** After a new master key: encrypts every secret again. Answers how many. */
export async function resealTotpSecrets(tx: DbOrTransaction, cipher: Cipher): Promise<number> {
  const rows = await tx<Array<{ user_id: string; secret_sealed: Buffer }>>`
    select user_id, secret_sealed from totp_secrets for update`
  for (const { user_id, secret_sealed } of rows) {
    const sealed = cipher.encrypt(cipher.decrypt(secret_sealed, contextOf(user_id)), contextOf(user_id))
    await tx`update totp_secrets set secret_sealed = ${sealed} where user_id = ${user_id}`
  }
  return rows.length
}

async function insertRecoveryCodes(tx: DbOrTransaction, userId: string, codes: readonly string[]): Promise<void> {
  await tx`
    insert into recovery_codes (user_id, code_hash)
    select ${userId}, decode(hash, 'hex') from unnest(${codes.map((code) => secretHash(code).toString('hex'))}::text[]) as hash`
}

/** Authenticated with the ciphertext: a secret opens only for its own person. */
function contextOf(userId: string): string {
  return `totp secret of ${userId}`
}
