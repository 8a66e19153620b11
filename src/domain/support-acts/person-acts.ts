import type { Db } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { transaction } from '../../platform/transaction.ts'
import { endAccess } from '../accounts/end-access.ts'
import { takeBackConsent } from '../consents/consent-store.ts'
import { forgetFailures, type Throttled } from '../limits/lock-store.ts'
import { endSessionOf, endSessionsOf } from '../sessions/session-store.ts'
import { takeAwayPassword } from '../users/person-facts-store.ts'
import { holdPeople } from '../users/person-upsert-store.ts'
import { removeTotp } from '../users/totp-store.ts'
import type { User } from '../users/user.ts'
import { noteAccountAct, type SupportAct } from './support-act.ts'

/** Acts answer whether there was anything to do; what was nothing is not written down either. */
export async function endPersonSession(db: Db, act: SupportAct, person: User, sid: string): Promise<boolean> {
  return transaction(db, async (tx) => {
    const ended = await endSessionOf(tx, person.id, sid)
    if (ended) await noteAccountAct(tx, act, 'person.session-ended', person, { more: { session: sid } })
    return ended
  })
}

export async function endPersonSessions(db: Db, act: SupportAct, person: User): Promise<boolean> {
  return transaction(db, async (tx) => {
    const sessions = await endSessionsOf(tx, person.id, null)
    if (sessions > 0) await noteAccountAct(tx, act, 'person.sessions-ended', person, { more: { sessions } })
    return sessions > 0
  })
}

/** As if the person had taken it back themselves: consent, refresh tokens and, within a second, access tokens (decision B21). */
export async function withdrawAccess(db: Db, act: SupportAct, person: User, applicationId: string): Promise<void> {
  await transaction(db, async (tx) => {
    await takeBackConsent(tx, person.id, applicationId)
    await noteAccountAct(tx, act, 'person.access-withdrawn', person, { applicationId })
  })
}

export function throttledPerson({ id, email, username }: User): Throttled {
  return { id, logins: [email, username].filter((login) => login !== null), place: 'sign-in' }
}

export async function unlockPerson(db: Db, act: SupportAct, person: User): Promise<boolean> {
  return retriedTransaction(db, async (tx) => {
    const counts = await forgetFailures(tx, throttledPerson(person))
    if (counts > 0) await noteAccountAct(tx, act, 'person.unlocked', person)
    return counts > 0
  })
}

/**
 * The password, and everything that it opened, is over at once, whoever knows it (decision B22). The second factor stays: it
 * is asked for with the next password, too. False when the person is gone.
 */
export async function forceNewPassword(db: Db, act: SupportAct, person: User): Promise<boolean> {
  return retriedTransaction(db, async (tx) => {
    const held = await holdPeople(tx, [person.id])
    if (!held.has(person.id)) return false
    await endAccess(tx, [person.id], 'password reset by support')
    await takeAwayPassword(tx, person.id)
    await noteAccountAct(tx, act, 'person.password-reset', person)
    return true
  })
}

/** For whoever lost the phone and the recovery codes. */
export async function removeSecondFactor(db: Db, act: SupportAct, person: User): Promise<boolean> {
  return transaction(db, async (tx) => {
    const removed = await removeTotp(tx, person.id)
    if (removed) await noteAccountAct(tx, act, 'person.two-factor-removed', person)
    return removed
  })
}
