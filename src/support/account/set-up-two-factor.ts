import type { FastifyReply } from 'fastify'
import { endAccountSession, endOtherAccountSessions } from '../../domain/credentials/account-session-store.ts'
import { enrolAccountTotp, findAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { noteSecondFactor } from '../../domain/staff/staff-session-store.ts'
import { newRecoveryCodes } from '../../domain/users/recovery-code.ts'
import { matchingStep, newTotpSecret } from '../../domain/users/totp.ts'
import { secretOfSetUp, totpSetUp } from '../../domain/users/totp-set-up.ts'
import { clearSessionCookie } from '../../http/browser.ts'
import { transaction } from '../../platform/transaction.ts'
import { type ProofFaults, setUpContent, WRONG_CODE } from '../../ui/two-factor.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { passwordRefusal, tryPassword } from '../threshold/prove.ts'
import { type AtDesk, goTo, STAFF_SESSIONS } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { ACCOUNT, showRecoveryCodes, showTwoFactor, TWO_FACTOR } from './two-factor.ts'

/**
 * Where everybody is led who has no second factor yet. The secret travels in the form, encrypted for this account and session,
 * until a right code shows that their app has it: nothing is stored that is only half set up.
 */
export function setUpTwoFactorRoutes(parts: SupportParts): SupportRoute[] {
  const { db, cipher, clock, browsers } = parts

  function show(visit: AtDesk, secret: Buffer, status: number, faults: ProofFaults): FastifyReply {
    const { me, browser } = visit
    const setUp = totpSetUp(cipher, contextOf(visit), me.email, secret)
    const content = setUpContent({
      at: TWO_FACTOR,
      account: ACCOUNT,
      csrf: browser.csrf,
      email: me.email,
      ...setUp,
      faults,
    })
    return showTwoFactor(visit, status, 'Turn on two-factor sign-in', content)
  }

  /** The other sessions began without a second factor, and one of them may be a thief's. */
  async function turnOn(visit: AtDesk): Promise<FastifyReply> {
    const { me, form, session } = visit
    const secret = secretOfSetUp(cipher, contextOf(visit), form.get('secret'))
    if (secret === null) return show(visit, newTotpSecret(), 400, { page: 'Please scan the new code below.' })
    const refused = passwordRefusal(await tryPassword(parts, visit, me.email, form.get('password') ?? ''))
    if (refused !== null) return show(visit, secret, refused.status, refused.faults)
    const step = matchingStep(secret, form.get('code') ?? '', clock())
    if (step === null) return show(visit, secret, 400, { code: WRONG_CODE })
    const recoveryCodes = newRecoveryCodes()
    const enrolled = await transaction(db, async (tx) => {
      const isNew = await enrolAccountTotp(tx, STAFF, cipher, { id: me.id, secret, step, recoveryCodes })
      if (!isNew) return false
      await endOtherAccountSessions(tx, STAFF, me.id, session.sid)
      await noteSecondFactor(tx, session.sid, true)
      await noteOwnChange(tx, visit, 'account.two-factor-on', { twoFactor: false }, { twoFactor: true })
      return true
    })
    return enrolled ? showRecoveryCodes(visit, recoveryCodes, 'turned-on') : whoHasOne(visit)
  }

  /** A session from before the second factor is good for nothing: the code is given at sign-in. */
  async function whoHasOne(visit: AtDesk): Promise<FastifyReply> {
    if (visit.session.secondFactor) return goTo(visit.reply, '/account/two-factor')
    await endAccountSession(db, STAFF, visit.me.id, visit.session.sid)
    clearSessionCookie(browsers, visit.reply, STAFF_SESSIONS)
    return goTo(visit.reply, '/sign-in')
  }

  return [
    {
      method: 'GET',
      path: '/account/two-factor/set-up',
      who: 'signed-in',
      answer: async (visit) =>
        (await findAccountTotp(db, STAFF, visit.me.id)) === null
          ? show(visit, newTotpSecret(), 200, {})
          : whoHasOne(visit),
    },
    { method: 'POST', path: '/account/two-factor/set-up', who: 'signed-in', answer: turnOn },
  ]
}

function contextOf({ me, session }: AtDesk): string {
  return `totp set-up of staff ${me.id} in ${session.sid}`
}
