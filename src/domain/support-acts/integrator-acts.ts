import type { Db } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { transaction } from '../../platform/transaction.ts'
import { endOtherAccountSessions } from '../credentials/account-session-store.ts'
import { INTEGRATOR_ACCOUNTS, type Integrator } from '../integrators/integrator.ts'
import { endIntegratorSession } from '../integrators/integrator-session-store.ts'
import { replaceIntegratorPassword } from '../integrators/integrator-store.ts'
import { removeIntegratorTotp } from '../integrators/integrator-totp-store.ts'
import { removePasskeysOf } from '../integrators/passkey-store.ts'
import { forgetFailures, type Throttled } from '../limits/lock-store.ts'
import { NOBODYS_HASH } from '../users/check-password.ts'
import { noteAccountAct, type SupportAct } from './support-act.ts'

/** As the acts on people: each answers whether there was anything to do. */
export async function endOneSession(db: Db, act: SupportAct, one: Integrator, sid: string): Promise<boolean> {
  return transaction(db, async (tx) => {
    const ended = await endIntegratorSession(tx, one.id, sid)
    if (ended) await noteAccountAct(tx, act, 'integrator.session-ended', one, { more: { session: sid } })
    return ended
  })
}

export async function endAllSessions(db: Db, act: SupportAct, one: Integrator): Promise<boolean> {
  return transaction(db, async (tx) => {
    const sessions = await endOtherAccountSessions(tx, INTEGRATOR_ACCOUNTS, one.id, null)
    if (sessions > 0) await noteAccountAct(tx, act, 'integrator.sessions-ended', one, { more: { sessions } })
    return sessions > 0
  })
}

export function throttledIntegrator({ id, email }: Integrator): Throttled {
  return { id, logins: [email], place: 'portal sign-in' }
}

export async function unlockIntegrator(db: Db, act: SupportAct, one: Integrator): Promise<boolean> {
  return retriedTransaction(db, async (tx) => {
    const counts = await forgetFailures(tx, throttledIntegrator(one))
    if (counts > 0) await noteAccountAct(tx, act, 'integrator.unlocked', one)
    return counts > 0
  })
}

/** Passkeys stay, as with any new password: they are an act of their own. */
export async function forceIntegratorReset(db: Db, act: SupportAct, one: Integrator): Promise<boolean> {
  return transaction(db, async (tx) => {
    await replaceIntegratorPassword(tx, { id: one.id, passwordHash: NOBODYS_HASH, exceptSid: null })
    await noteAccountAct(tx, act, 'integrator.password-reset', one)
    return true
  })
}

export async function removeIntegratorFactor(db: Db, act: SupportAct, one: Integrator): Promise<boolean> {
  return transaction(db, async (tx) => {
    const removed = await removeIntegratorTotp(tx, one.id)
    if (removed) await noteAccountAct(tx, act, 'integrator.two-factor-removed', one)
    return removed
  })
}

export async function removeAllPasskeys(db: Db, act: SupportAct, one: Integrator): Promise<boolean> {
  return transaction(db, async (tx) => {
    const passkeys = await removePasskeysOf(tx, one.id)
    if (passkeys > 0) await noteAccountAct(tx, act, 'integrator.passkeys-removed', one, { more: { passkeys } })
    return passkeys > 0
  })
}
