import type { FastifyReply } from 'fastify'
import { replaceAccountPassword } from '../../domain/credentials/account-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { LONGEST_PASSWORD, passwordFault, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { transaction } from '../../platform/transaction.ts'
import { accountPart } from '../../ui/account-part.ts'
import { changePasswordContent, type PasswordFaults } from '../../ui/change-password.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { BUSY, passwordRefusal, tryPassword } from '../threshold/prove.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { ACCOUNT } from './two-factor.ts'

const LEAD = 'You will be signed out everywhere else.'

/** The current password is asked for, whoever has the session; the new one ends all other sessions. */
export function passwordRoutes(parts: SupportParts): SupportRoute[] {
  async function change(visit: AtDesk): Promise<FastifyReply> {
    const { form, me, session } = visit
    const fresh = form.get('new_password') ?? ''
    const fault = passwordFault(fresh, { email: me.email, username: null })
    if (fault !== null) return show(visit, 400, { fresh: fault })
    const refused = passwordRefusal(await tryPassword(parts, visit, me.email, form.get('password') ?? ''))
    if (refused !== null) return show(visit, refused.status, refused.faults)
    const passwordHash = await parts.passwords.hash(fresh)
    if (passwordHash === null) return show(visit, 503, { page: BUSY })
    await transaction(parts.db, async (tx) => {
      await replaceAccountPassword(tx, STAFF, { id: me.id, passwordHash, exceptSid: session.sid })
      await noteOwnChange(tx, visit, 'account.password-changed', null, null)
    })
    return goDone(visit.reply, '/account', 'password')
  }

  return [
    { method: 'GET', path: '/account/password', who: 'staff', answer: async (visit) => show(visit, 200, {}) },
    { method: 'POST', path: '/account/password', who: 'staff', answer: change },
  ]
}

function show(visit: AtDesk, status: number, faults: PasswordFaults): FastifyReply {
  const inner = changePasswordContent({
    account: ACCOUNT,
    csrf: visit.browser.csrf,
    email: visit.me.email,
    lead: LEAD,
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    faults,
  })
  const content = accountPart(ACCOUNT, inner)
  return sendFramed(visit, status, { title: 'Change your password', place: 'account', content })
}
