import type { FastifyReply } from 'fastify'
import { enrolIntegratorTotp, findIntegratorTotp } from '../../domain/integrators/integrator-totp-store.ts'
import { inGroups, newRecoveryCodes } from '../../domain/users/recovery-code.ts'
import { base32, matchingStep, newTotpSecret, otpauthUri } from '../../domain/users/totp.ts'
import { qrPath } from '../../platform/qr-path.ts'
import { transaction } from '../../platform/transaction.ts'
import { type ProofFaults, setUpContent, WRONG_CODE } from '../../ui/two-factor.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { tryPassword } from '../threshold/try-password.ts'
import { goTo, type SignedIn } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { ACCOUNT, showRecoveryCodes, showTwoFactor, TWO_FACTOR, tellOfTwoFactor } from './two-factor.ts'

/**
 * The secret travels in the form, encrypted for this account and session, until a right code shows that their app has it:
 * nothing is stored that is only half set up.
 */
export function setUpTwoFactorRoutes(parts: PortalParts): PortalRoute[] {
  const { db, cipher, clock } = parts

  function show(visit: SignedIn, secret: Buffer, status: number, faults: ProofFaults): FastifyReply {
    const { me, browser } = visit
    const uri = otpauthUri(me.email, secret)
    const content = setUpContent({
      at: TWO_FACTOR,
      account: ACCOUNT,
      csrf: browser.csrf,
      email: me.email,
      uri,
      qr: qrPath(uri),
      key: inGroups(base32(secret), ' '),
      sealed: cipher.encrypt(secret, contextOf(visit)).toString('base64url'),
      faults,
    })
    return showTwoFactor(visit, status, 'Turn on two-factor sign-in', content)
  }

  /** Null when it was not made for this account in this session. */
  function unseal(visit: SignedIn): Buffer | null {
    try {
      return cipher.decrypt(Buffer.from(visit.form.get('secret') ?? '', 'base64url'), contextOf(visit))
    } catch {
      return null
    }
  }

  async function turnOn(visit: SignedIn): Promise<FastifyReply> {
    const { me, browser, form } = visit
    const secret = unseal(visit)
    if (secret === null) return show(visit, newTotpSecret(), 400, { page: 'Please scan the new code below.' })
    const tried = await tryPassword(parts, browser, me.email, form.get('password') ?? '')
    if (tried.outcome === 'refused') return show(visit, secret, tried.status, { page: tried.message })
    if (tried.outcome === 'wrong') return show(visit, secret, 400, { password: 'That is not your password.' })
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
