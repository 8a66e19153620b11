import type { FastifyReply } from 'fastify'
import {
  findIntegratorTotp,
  removeIntegratorTotp,
  replaceIntegratorRecoveryCodes,
} from '../../domain/integrators/integrator-totp-store.ts'
import { countPasskeys } from '../../domain/integrators/passkey-store.ts'
import { newRecoveryCodes } from '../../domain/users/recovery-code.ts'
import { transaction } from '../../platform/transaction.ts'
import { twoFactorMail } from '../../ui/account-mails.ts'
import { accountPart } from '../../ui/account-part.ts'
import type { Markup } from '../../ui/html.ts'
import { day } from '../../ui/moment.ts'
import {
  type ProofFaults,
  type ProvenAction,
  provenContent,
  provenTitle,
  recoveryCodesContent,
  twoFactorOnContent,
} from '../../ui/two-factor.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import { goTo, type SignedIn } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { prove } from './prove.ts'

export const ACCOUNT = '/portal/account'
export const TWO_FACTOR = `${ACCOUNT}/two-factor`

/** /portal/account/two-factor: what makes signing in weaker again needs the password and a code, like signing in itself. */
export function twoFactorRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function turnOff(visit: SignedIn): Promise<FastifyReply> {
    await transaction(db, async (tx) => {
      if (!(await removeIntegratorTotp(tx, visit.me.id))) return
      await noteOwnChange(tx, visit, 'account.two-factor-off', { twoFactor: true }, { twoFactor: false })
    })
    tellOfTwoFactor(parts, visit, 'off')
    return goDone(visit.reply, '/account', 'two-factor-off')
  }

  async function renewCodes(visit: SignedIn): Promise<FastifyReply> {
    const codes = newRecoveryCodes()
    const replaced = await transaction(db, async (tx) => {
      const isOn = await replaceIntegratorRecoveryCodes(tx, visit.me.id, codes)
      if (isOn) await noteOwnChange(tx, visit, 'account.recovery-codes-replaced', null, null)
      return isOn
    })
    if (!replaced) return toSetUp(visit)
    tellOfTwoFactor(parts, visit, 'new-codes')
    return showRecoveryCodes(visit, codes, 'new')
  }

  return [
    {
      method: 'GET',
      path: '/account/two-factor',
      who: 'signed-in',
      answer: async (visit) => {
        const totp = await findIntegratorTotp(db, visit.me.id)
        if (totp === null) return toSetUp(visit)
        const passkeys = await countPasskeys(db, visit.me.id)
        const content = twoFactorOnContent(TWO_FACTOR, day(totp.enrolledAt), totp.recoveryCodes, passkeys)
        return showTwoFactor(visit, 200, 'Two-factor sign-in', content)
      },
    },
    ...provenRoutes(parts, 'turn-off', turnOff),
    ...provenRoutes(parts, 'recovery-codes', renewCodes),
  ]
}

function provenRoutes(
  parts: PortalParts,
  what: ProvenAction,
  act: (visit: SignedIn) => Promise<FastifyReply>,
): PortalRoute[] {
  const show = async (visit: SignedIn, status: number, faults: ProofFaults) => {
    const { browser, me } = visit
    const passkeys = await countPasskeys(parts.db, me.id)
    const content = provenContent({ at: TWO_FACTOR, what, csrf: browser.csrf, email: me.email, passkeys, faults })
    return showTwoFactor(visit, status, provenTitle(what), content)
  }
  return [
    {
      method: 'GET',
      path: `/account/two-factor/${what}`,
      who: 'signed-in',
      answer: async (visit) =>
        (await findIntegratorTotp(parts.db, visit.me.id)) === null ? toSetUp(visit) : show(visit, 200, {}),
    },
    {
      method: 'POST',
      path: `/account/two-factor/${what}`,
      who: 'signed-in',
      answer: async (visit) => {
        const refused = await prove(parts, visit, { code: true })
        return refused === null ? act(visit) : show(visit, refused.status, refused.faults)
      },
    },
  ]
}

export function showTwoFactor(visit: SignedIn, status: number, title: string, inner: Markup): FastifyReply {
  return sendFramed(visit, status, { title, place: 'account', content: accountPart(ACCOUNT, inner) })
}

/** Shown in the answer itself and nowhere else: they are not kept, so there is no page to go back to. */
export function showRecoveryCodes(
  visit: SignedIn,
  codes: readonly string[],
  because: 'turned-on' | 'new',
): FastifyReply {
  return showTwoFactor(visit, 200, 'Your recovery codes', recoveryCodesContent(codes, because, ACCOUNT))
}

/** The owner hears of it wherever it was done. */
export function tellOfTwoFactor(parts: PortalParts, { me }: SignedIn, what: Parameters<typeof twoFactorMail>[2]): void {
  const mail = twoFactorMail(me.email, portalUrl(parts, '/reset'), what)
  parts.afterwards.run('tell of two-factor sign-in', async () => parts.mailer?.send(mail))
}

function toSetUp({ reply }: SignedIn): FastifyReply {
  return goTo(reply, '/account/two-factor/set-up')
}
