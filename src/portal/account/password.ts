import type { FastifyReply } from 'fastify'
import { replaceIntegratorPassword } from '../../domain/integrators/integrator-store.ts'
import { countPasskeys } from '../../domain/integrators/passkey-store.ts'
import { LONGEST_PASSWORD, passwordFault, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { transaction } from '../../platform/transaction.ts'
import { passwordChangedMail } from '../../ui/account-mails.ts'
import { accountPart } from '../../ui/account-part.ts'
import { changePasswordContent, type PasswordFaults } from '../../ui/change-password.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import { BUSY } from '../threshold/try-password.ts'
import type { SignedIn } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { prove } from './prove.ts'
import { ACCOUNT } from './two-factor.ts'

const LEAD = 'You will be signed out everywhere else. Passkeys go on working.'

/** The current password is asked for, whoever has the session; the new one ends all other sessions. */
export function passwordRoutes(parts: PortalParts): PortalRoute[] {
  async function change(visit: SignedIn): Promise<FastifyReply> {
    const { form, me, session } = visit
    const fresh = form.get('new_password') ?? ''
    const fault = passwordFault(fresh, { email: me.email, username: null })
    if (fault !== null) return show(visit, 400, { fresh: fault })
    const refused = await prove(parts, visit, { code: false })
    if (refused !== null) return show(visit, refused.status, refused.faults)
    const passwordHash = await parts.passwords.hash(fresh)
    if (passwordHash === null) return show(visit, 503, { page: BUSY })
    const passkeys = await transaction(parts.db, async (tx) => {
      await replaceIntegratorPassword(tx, { id: me.id, passwordHash, exceptSid: session.sid })
      await noteOwnChange(tx, visit, 'account.password-changed', null, null)
      return countPasskeys(tx, me.id)
    })
    const mail = passwordChangedMail(me.email, portalUrl(parts, '/reset'), 'Other browsers', passkeys)
    parts.afterwards.run('tell of a new password', async () => parts.mailer?.send(mail))
    return goDone(visit.reply, '/account', 'password')
  }

  return [
    { method: 'GET', path: '/account/password', who: 'signed-in', answer: async (visit) => show(visit, 200, {}) },
    { method: 'POST', path: '/account/password', who: 'signed-in', answer: change },
  ]
}

function show(visit: SignedIn, status: number, faults: PasswordFaults): FastifyReply {
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
