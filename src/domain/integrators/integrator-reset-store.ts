import type { Db, DbOrTransaction } from '../../platform/db.ts'
import {
  findAccountReset,
  forgetOldAccountResets,
  startAccountReset,
  useAccountReset,
} from '../credentials/account-reset-store.ts'
import { RESET_SECONDS } from '../sessions/password-reset-store.ts'
import { INTEGRATOR_ACCOUNTS, type Integrator } from './integrator.ts'
import { endPasskeysUnderWay } from './integrator-store.ts'

export function startIntegratorReset(db: Db, integratorId: string): Promise<string> {
  return startAccountReset(db, INTEGRATOR_ACCOUNTS, integratorId, RESET_SECONDS)
}

export function findIntegratorReset(db: Db, secret: string): Promise<Integrator | null> {
  return findAccountReset(db, INTEGRATOR_ACCOUNTS, secret)
}

export function useIntegratorReset(
  db: Db,
  given: { secret: string; passwordHash: string; browser: string },
  note: (tx: DbOrTransaction, integrator: Integrator) => Promise<void>,
): Promise<Integrator | null> {
  return useAccountReset(db, INTEGRATOR_ACCOUNTS, given, async (tx, integrator) => {
    await endPasskeysUnderWay(tx, integrator.id)
    await note(tx, integrator)
  })
}

export function forgetOldIntegratorResets(db: Db): Promise<void> {
  return forgetOldAccountResets(db, INTEGRATOR_ACCOUNTS)
}
