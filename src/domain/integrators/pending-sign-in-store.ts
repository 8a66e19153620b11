import type { Db } from '../../platform/db.ts'
import {
  endPendingAccount,
  findPendingAccount,
  forgetPendingAccounts,
  keepPendingAccount,
} from '../credentials/pending-sign-in-store.ts'
import { INTEGRATOR_ACCOUNTS } from './integrator.ts'

// As for every account (`credentials`): one for each browser, and no session before the code.

export function keepPendingSignIn(db: Db, browser: string, integratorId: string): Promise<void> {
  return keepPendingAccount(db, INTEGRATOR_ACCOUNTS, browser, integratorId)
}

export function findPendingSignIn(db: Db, browser: string): Promise<string | null> {
  return findPendingAccount(db, INTEGRATOR_ACCOUNTS, browser)
}

export function endPendingSignIn(db: Db, browser: string, integratorId: string): Promise<boolean> {
  return endPendingAccount(db, INTEGRATOR_ACCOUNTS, browser, integratorId)
}

export function forgetPendingSignIns(db: Db): Promise<void> {
  return forgetPendingAccounts(db, INTEGRATOR_ACCOUNTS)
}
