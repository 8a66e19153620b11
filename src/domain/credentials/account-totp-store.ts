import { byteaTexts } from '../../platform/bytea.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { matchingStep } from '../users/totp.ts'
import type { Totp } from '../users/totp-store.ts'
import type { AccountKind } from './account-kind.ts'

/** Null when no one-time code is asked for after the password. */
export async function findAccountTotp(
  db: DbOrTransaction,
  { tables, owner }: AccountKind,
  id: string,
): Promise<Totp | null> {
  const [row] = await db<Array<{ enrolled_at: Date; codes: number }>>`
    select enrolled_at, (select count(*)::int from ${db(tables.recoveryCodes)} where ${db(owner)} = ${id}) as codes
    from ${db(tables.totpSecrets)} where ${db(owner)} = ${id}`
  return row ? { enrolledAt: row.enrolled_at, recoveryCodes: row.codes } : null
}

export type Enrolment = { id: string; secret: Uint8Array; step: number; recoveryCodes: readonly string[] }

/** The step of the code that confirmed it counts as used. Answers false when there are one-time codes already. */
export async function enrolAccountTotp(
  tx: DbOrTransaction,
  kind: AccountKind,
  cipher: Cipher,
  { id, secret, step, recoveryCodes }: Enrolment,
): Promise<boolean> {
  const inserted = await tx`
    insert into ${tx(kind.tables.totpSecrets)} (${tx(kind.owner)}, secret_sealed, last_step)
    values (${id}, ${cipher.encrypt(secret, contextOf(kind, id))}, ${step}) on conflict do nothing returning 1`
  if (inserted.length === 1) await insertRecoveryCodes(tx, kind, id, recoveryCodes)
  return inserted.length === 1
}

/** Answers whether the code is right and was not used before: of any number of uses at the same moment, one is. */
export async function useAccountCode(
  db: Db,
  kind: AccountKind,
  cipher: Cipher,
  { id, code, now }: { id: string; code: string; now: Date },
): Promise<boolean> {
  const { tables, owner } = kind
  const [row] = await db<Array<{ secret_sealed: Buffer }>>`
    select secret_sealed from ${db(tables.totpSecrets)} where ${db(owner)} = ${id}`
  if (!row) return false
  const step = matchingStep(cipher.decrypt(row.secret_sealed, contextOf(kind, id)), code, now)
  if (step === null) return false
  // The secret is compared as well: it may have been replaced since it was read.
  const used = await db`
    update ${db(tables.totpSecrets)} set last_step = ${step}
    where ${db(owner)} = ${id} and last_step < ${step} and secret_sealed = ${row.secret_sealed} returning 1`
  return used.length === 1
}

export async function useAccountRecoveryCode(
  db: Db,
  { tables, owner }: AccountKind,
  id: string,
  code: string,
): Promise<boolean> {
  const used = await db`
    delete from ${db(tables.recoveryCodes)} where ${db(owner)} = ${id} and code_hash = ${secretHash(code)} returning 1`
  return used.length === 1
}

/** The ones before are good no more. Answers false when there are no one-time codes to recover. */
export async function replaceAccountRecoveryCodes(
  tx: DbOrTransaction,
  kind: AccountKind,
  id: string,
  codes: readonly string[],
): Promise<boolean> {
  const { tables, owner } = kind
  const held = await tx`select 1 from ${tx(tables.totpSecrets)} where ${tx(owner)} = ${id} for update`
  if (held.length === 0) return false
  await tx`delete from ${tx(tables.recoveryCodes)} where ${tx(owner)} = ${id}`
  await insertRecoveryCodes(tx, kind, id, codes)
  return true
}

export async function removeAccountTotp(
  tx: DbOrTransaction,
  { tables, owner }: AccountKind,
  id: string,
): Promise<boolean> {
  const removed = await tx`delete from ${tx(tables.totpSecrets)} where ${tx(owner)} = ${id} returning 1`
  return removed.length === 1
}

/** After a new master key: encrypts every secret again. Answers how many. */
export async function resealAccountTotp(tx: DbOrTransaction, kind: AccountKind, cipher: Cipher): Promise<number> {
  const { tables, owner } = kind
  const rows = await tx<Array<{ account_id: string; secret_sealed: Buffer }>>`
    select ${tx(owner)} as account_id, secret_sealed from ${tx(tables.totpSecrets)} for update`
  for (const { account_id, secret_sealed } of rows) {
    const context = contextOf(kind, account_id)
    const sealed = cipher.encrypt(cipher.decrypt(secret_sealed, context), context)
    await tx`update ${tx(tables.totpSecrets)} set secret_sealed = ${sealed} where ${tx(owner)} = ${account_id}`
  }
  return rows.length
}

async function insertRecoveryCodes(
  tx: DbOrTransaction,
  { tables, owner }: AccountKind,
  id: string,
  codes: readonly string[],
): Promise<void> {
  await tx`
    insert into ${tx(tables.recoveryCodes)} (${tx(owner)}, code_hash)
    select ${id}, hash from unnest(${byteaTexts(codes.map(secretHash))}::text[]::bytea[]) as hash`
}

/** Authenticated with the ciphertext: a secret opens only for its own account. */
function contextOf({ name }: AccountKind, id: string): string {
  return `totp secret of ${name} ${id}`
}
