import { byteaTexts } from '../../platform/bytea.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { matchingStep } from '../users/totp.ts'
import type { Totp } from '../users/totp-store.ts'

/** Null when no one-time code is asked for after the password. */
export async function findIntegratorTotp(db: DbOrTransaction, integratorId: string): Promise<Totp | null> {
  const [row] = await db<Array<{ enrolled_at: Date; codes: number }>>`
    select enrolled_at, (select count(*)::int from integrator_recovery_codes codes
                         where codes.integrator_id = integrator_totp_secrets.integrator_id) as codes
    from integrator_totp_secrets where integrator_id = ${integratorId}`
  return row ? { enrolledAt: row.enrolled_at, recoveryCodes: row.codes } : null
}

export type IntegratorEnrolment = { id: string; secret: Uint8Array; step: number; recoveryCodes: readonly string[] }

/** The step of the code that confirmed it counts as used. Answers false when there are one-time codes already. */
export async function enrolIntegratorTotp(
  tx: DbOrTransaction,
  cipher: Cipher,
  { id, secret, step, recoveryCodes }: IntegratorEnrolment,
): Promise<boolean> {
  const inserted = await tx`
    insert into integrator_totp_secrets (integrator_id, secret_sealed, last_step)
    values (${id}, ${cipher.encrypt(secret, contextOf(id))}, ${step}) on conflict do nothing returning 1`
  if (inserted.length === 1) await insertRecoveryCodes(tx, id, recoveryCodes)
  return inserted.length === 1
}

/** Answers whether the code is right and was not used before: of any number of uses at the same moment, one is. */
export async function useIntegratorCode(
  db: Db,
  cipher: Cipher,
  { id, code, now }: { id: string; code: string; now: Date },
): Promise<boolean> {
  const [row] = await db<Array<{ secret_sealed: Buffer }>>`
    select secret_sealed from integrator_totp_secrets where integrator_id = ${id}`
  if (!row) return false
  const step = matchingStep(cipher.decrypt(row.secret_sealed, contextOf(id)), code, now)
  if (step === null) return false
  // The secret is compared as well: it may have been replaced since it was read.
  const used = await db`
    update integrator_totp_secrets set last_step = ${step}
    where integrator_id = ${id} and last_step < ${step} and secret_sealed = ${row.secret_sealed} returning 1`
  return used.length === 1
}

export async function useIntegratorRecoveryCode(db: Db, id: string, code: string): Promise<boolean> {
  const used = await db`
    delete from integrator_recovery_codes where integrator_id = ${id} and code_hash = ${secretHash(code)} returning 1`
  return used.length === 1
}

/** The ones before are good no more. Answers false when there are no one-time codes to recover. */
export async function replaceIntegratorRecoveryCodes(
  tx: DbOrTransaction,
  id: string,
  codes: readonly string[],
): Promise<boolean> {
  const held = await tx`select 1 from integrator_totp_secrets where integrator_id = ${id} for update`
  if (held.length === 0) return false
  await tx`delete from integrator_recovery_codes where integrator_id = ${id}`
  await insertRecoveryCodes(tx, id, codes)
  return true
}

export async function removeIntegratorTotp(tx: DbOrTransaction, id: string): Promise<boolean> {
  const removed = await tx`delete from integrator_totp_secrets where integrator_id = ${id} returning 1`
  return removed.length === 1
}

/** After a new master key: encrypts every secret again. Answers how many. */
export async function resealIntegratorTotpSecrets(tx: DbOrTransaction, cipher: Cipher): Promise<number> {
  const rows = await tx<Array<{ integrator_id: string; secret_sealed: Buffer }>>`
    select integrator_id, secret_sealed from integrator_totp_secrets for update`
  for (const { integrator_id, secret_sealed } of rows) {
    const context = contextOf(integrator_id)
    const sealed = cipher.encrypt(cipher.decrypt(secret_sealed, context), context)
    await tx`update integrator_totp_secrets set secret_sealed = ${sealed} where integrator_id = ${integrator_id}`
  }
  return rows.length
}

async function insertRecoveryCodes(tx: DbOrTransaction, id: string, codes: readonly string[]): Promise<void> {
  await tx`
    insert into integrator_recovery_codes (integrator_id, code_hash)
    select ${id}, hash from unnest(${byteaTexts(codes.map(secretHash))}::text[]::bytea[]) as hash`
}

/** Authenticated with the ciphertext: a secret opens only for its own account. */
function contextOf(id: string): string {
  return `totp secret of integrator ${id}`
}
