import type { FastifyReply } from 'fastify'
import { enrolIntegratorTotp, findIntegratorTotp } from '../../domain/integrators/integrator-totp-store.ts'
import { newRecoveryCodes } from '../../domain/users/recovery-code.ts'
import { matchingStep, newTotpSecret } from '../../domain/users/totp.ts'
import { secretOfSetUp, totpSetUp } from '../../domain/users/totp-set-up.ts'
import { transaction } from '../../platform/transaction.ts'
import { type ProofFaults, setUpContent, WRONG_CODE } from '../../ui/two-factor.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { goTo, type SignedIn } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { prove } from './prove.ts'
import { ACCOUNT, showRecoveryCodes, showTwoFactor, TWO_FACTOR, tellOfTwoFactor } from './two-factor.ts'

/**
 * The secret travels in the form, encrypted for this account and session, until a right code shows that their app has it:
 * nothing is stored that is only half set up.
 */
export function setUpTwoFactorRoutes(parts: PortalParts): PortalRoute[] {
  const { db, cipher, clock } = parts

  function show(visit: SignedIn, secret: Buffer, status: number, faults: ProofFaults): FastifyReply {
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

  async function turnOn(visit: SignedIn): Promise<FastifyReply> {
    const { me, form } = visit
    const secret = secretOfSetUp(cipher, contextOf(visit), form.get('secret'))
    if (secret === null) return show(visit, newTotpSecret(), 400, { page: 'Please scan the new code below.' })
    const refused = await prove(parts, visit, { code: false })
    if (refused !== null) return show(visit, secret, refused.status, refused.faults)
    const step = matchingStep(secret, form.get('code') ?? '', clock())
    if (step === null) return show(visit, secret, 400, { code: WRONG_CODE })
    const recoveryCodes = newRecoveryCodes()
    const enrolled = await transaction(db, async (tx) => {
      const isNew = await enrolIntegratorTotp(tx, cipher, { id: me.id, secret, step, recoveryCodes })
      if (isNew) await noteOwnChange(tx, visit, 'account.two-factor-on', { twoFactor: false }, { twoFactor: true })
      return isNew
    })
    if (!enrolled) return goTo(visit.reply, '/account/two-factor')
    tellOfTwoFactor(parts, visit, 'on')
    return showRecoveryCodes(visit, recoveryCodes, 'turned-on')
  }

  return [
    {
      method: 'GET',
      path: '/account/two-factor/set-up',
      who: 'signed-in',
      answer: async (visit) =>
        (await findIntegratorTotp(db, visit.me.id)) === null
          ? show(visit, newTotpSecret(), 200, {})
          : goTo(visit.reply, '/account/two-factor'),
    },
    { method: 'POST', path: '/account/two-factor/set-up', who: 'signed-in', answer: turnOn },
  ]
}

function contextOf({ me, session }: SignedIn): string {
  return `totp set-up of integrator ${me.id} in ${session.sid}`
}
