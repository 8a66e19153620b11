import type { FastifyReply } from 'fastify'
import { endOtherAccountSessions } from '../../domain/credentials/account-session-store.ts'
import {
  findAccountTotp,
  removeAccountTotp,
  replaceAccountRecoveryCodes,
} from '../../domain/credentials/account-totp-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { noteSecondFactor } from '../../domain/staff/staff-session-store.ts'
import { newRecoveryCodes } from '../../domain/users/recovery-code.ts'
import { transaction } from '../../platform/transaction.ts'
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
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { prove } from '../threshold/prove.ts'
import { type AtDesk, goTo } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'

export const ACCOUNT = '/support/account'
export const TWO_FACTOR = `${ACCOUNT}/two-factor`

/** /support/account/two-factor: what makes signing in weaker again needs the password and a code, like signing in itself. */
export function twoFactorRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts

  /** Where it is required the next page sets it up anew: for another phone. Other browsers are signed out. */
  async function turnOff(visit: AtDesk): Promise<FastifyReply> {
    await transaction(db, async (tx) => {
      if (!(await removeAccountTotp(tx, STAFF, visit.me.id))) return
      await endOtherAccountSessions(tx, STAFF, visit.me.id, visit.session.sid)
      await noteSecondFactor(tx, visit.session.sid, false)
      await noteOwnChange(tx, visit, 'account.two-factor-off', { twoFactor: true }, { twoFactor: false })
    })
    return goDone(visit.reply, '/account', 'two-factor-off')
  }

  async function renewCodes(visit: AtDesk): Promise<FastifyReply> {
    const codes = newRecoveryCodes()
    const replaced = await transaction(db, async (tx) => {
      const isOn = await replaceAccountRecoveryCodes(tx, STAFF, visit.me.id, codes)
      if (isOn) await noteOwnChange(tx, visit, 'account.recovery-codes-replaced', null, null)
      return isOn
    })
    return replaced ? showRecoveryCodes(visit, codes, 'new') : toSetUp(visit)
  }

  return [
    {
      method: 'GET',
      path: '/account/two-factor',
      who: 'staff',
      answer: async (visit) => {
        const totp = await findAccountTotp(db, STAFF, visit.me.id)
        if (totp === null) return toSetUp(visit)
        const content = twoFactorOnContent(TWO_FACTOR, day(totp.enrolledAt), totp.recoveryCodes)
        return showTwoFactor(visit, 200, 'Two-factor sign-in', content)
      },
    },
    ...provenRoutes(parts, 'turn-off', turnOff),
    ...provenRoutes(parts, 'recovery-codes', renewCodes),
  ]
}

function provenRoutes(
  parts: SupportParts,
  what: ProvenAction,
  act: (visit: AtDesk) => Promise<FastifyReply>,
): SupportRoute[] {
  const show = (visit: AtDesk, status: number, faults: ProofFaults) => {
    const { browser, me } = visit
    const content = provenContent({ at: TWO_FACTOR, what, csrf: browser.csrf, email: me.email, faults })
    return showTwoFactor(visit, status, provenTitle(what), content)
  }
  return [
    {
      method: 'GET',
      path: `/account/two-factor/${what}`,
      who: 'staff',
      answer: async (visit) =>
        (await findAccountTotp(parts.db, STAFF, visit.me.id)) === null ? toSetUp(visit) : show(visit, 200, {}),
    },
    {
      method: 'POST',
      path: `/account/two-factor/${what}`,
      who: 'staff',
      answer: async (visit) => {
        const { form } = visit
        const proof = { password: form.get('password') ?? '', code: form.get('code') ?? '' }
        const refused = await prove(parts, visit, proof)
        return refused === null ? act(visit) : show(visit, refused.status, refused.faults)
      },
    },
  ]
}

export function showTwoFactor(visit: AtDesk, status: number, title: string, inner: Markup): FastifyReply {
  return sendFramed(visit, status, { title, place: 'account', content: accountPart(ACCOUNT, inner) })
}

/** Shown in the answer itself and nowhere else: they are not kept, so there is no page to go back to. */
export function showRecoveryCodes(visit: AtDesk, codes: readonly string[], because: 'turned-on' | 'new'): FastifyReply {
  return showTwoFactor(visit, 200, 'Your recovery codes', recoveryCodesContent(codes, because, ACCOUNT))
}

function toSetUp({ reply }: AtDesk): FastifyReply {
  return goTo(reply, '/account/two-factor/set-up')
}
