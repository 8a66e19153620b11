import type { FastifyReply } from 'fastify'
import { replaceIntegratorPassword } from '../../domain/integrators/integrator-store.ts'
import { LONGEST_PASSWORD, passwordFault, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { transaction } from '../../platform/transaction.ts'
import { passwordChangedMail } from '../../ui/account-mails.ts'
import { button, form as formMarkup, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { currentPasswordField, forPasswordManagers, newPasswordField } from '../../ui/password-field.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import { BUSY, tryPassword } from '../threshold/try-password.ts'
import type { SignedIn } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'

/** What is wrong with a field, or with the attempt as a whole. */
type PasswordFaults = { current?: string; fresh?: string; page?: string }

/** The current password is asked for, whoever has the session; the new one ends all other sessions. */
export function passwordRoutes(parts: PortalParts): PortalRoute[] {
  async function change(visit: SignedIn): Promise<FastifyReply> {
    const { form, me, browser, session } = visit
    const fresh = form.get('new_password') ?? ''
    const fault = passwordFault(fresh, { email: me.email, username: null })
    if (fault !== null) return show(visit, 400, { fresh: fault })
    const tried = await tryPassword(parts, browser, me.email, form.get('password') ?? '')
    if (tried.outcome === 'refused') return show(visit, tried.status, { page: tried.message })
    if (tried.outcome === 'wrong') return show(visit, 400, { current: 'That is not your password.' })
    const passwordHash = await parts.passwords.hash(fresh)
    if (passwordHash === null) return show(visit, 503, { page: BUSY })
    await transaction(parts.db, async (tx) => {
      await replaceIntegratorPassword(tx, { id: me.id, passwordHash, exceptSid: session.sid })
      await noteOwnChange(tx, visit, 'account.password-changed', null, null)
    })
    const mail = passwordChangedMail(me.email, portalUrl(parts, '/reset'), 'Other browsers')
    parts.afterwards.run('tell of a new password', async () => parts.mailer?.send(mail))
    return goDone(visit.reply, '/account', 'password')
  }

  return [
    { method: 'GET', path: '/account/password', who: 'signed-in', answer: async (visit) => show(visit, 200, {}) },
    { method: 'POST', path: '/account/password', who: 'signed-in', answer: change },
  ]
}

function show(visit: SignedIn, status: number, faults: PasswordFaults): FastifyReply {
  const content = passwordContent(visit.browser.csrf, visit.me.email, faults)
  return sendFramed(visit, status, { title: 'Change your password', place: 'account', content })
}

function passwordContent(csrf: string, email: string, faults: PasswordFaults): Markup {
  return html`<p class="crumb"><a href="/portal/account">Your account</a></p>
<section class="card narrow">
<h1>Change your password</h1>
<p class="lead">You will be signed out everywhere else.</p>
${faults.page !== undefined && notice('error', faults.page)}
${formMarkup('/portal/account/password', { csrf }, [
  forPasswordManagers(email),
  currentPasswordField(faults.current, 'Current password'),
  newPasswordField({
    name: 'new_password',
    label: 'New password',
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    error: faults.fresh,
  }),
  html`<div class="actions">${button('Change password')}<a class="button quiet" href="/portal/account">Cancel</a></div>`,
])}
</section>`
}
