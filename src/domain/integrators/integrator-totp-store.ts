import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import {
  type Enrolment,
  enrolAccountTotp,
  findAccountTotp,
  removeAccountTotp,
  replaceAccountRecoveryCodes,
  resealAccountTotp,
  useAccountCode,
  useAccountRecoveryCode,
} from '../credentials/account-totp-store.ts'
import type { Totp } from '../users/totp-store.ts'
import { INTEGRATOR_ACCOUNTS } from './integrator.ts'

// The rules of one-time codes are those of every account (`credentials`); these are an integrator's.

export function findIntegratorTotp(db: DbOrTransaction, integratorId: string): Promise<Totp | null> {
  return findAccountTotp(db, INTEGRATOR_ACCOUNTS, integratorId)
}

export function enrolIntegratorTotp(tx: DbOrTransaction, cipher: Cipher, enrolment: Enrolment): Promise<boolean> {
  return enrolAccountTotp(tx, INTEGRATOR_ACCOUNTS, cipher, enrolment)
}

export function useIntegratorCode(
  db: Db,
  cipher: Cipher,
  given: { id: string; code: string; now: Date },
): Promise<boolean> {
  return useAccountCode(db, INTEGRATOR_ACCOUNTS, cipher, given)
}

export function useIntegratorRecoveryCode(db: Db, id: string, code: string): Promise<boolean> {
  return useAccountRecoveryCode(db, INTEGRATOR_ACCOUNTS, id, code)
}

export function replaceIntegratorRecoveryCodes(
  tx: DbOrTransaction,
  id: string,
  codes: readonly string[],
): Promise<boolean> {
  return replaceAccountRecoveryCodes(tx, INTEGRATOR_ACCOUNTS, id, codes)
}

export function removeIntegratorTotp(tx: DbOrTransaction, id: string): Promise<boolean> {
  return removeAccountTotp(tx, INTEGRATOR_ACCOUNTS, id)
}

export function resealIntegratorTotpSecrets(tx: DbOrTransaction, cipher: Cipher): Promise<number> {
  return resealAccountTotp(tx, INTEGRATOR_ACCOUNTS, cipher)
}
