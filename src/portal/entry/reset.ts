import type { FastifyReply } from 'fastify'
import { appendAudit } from '../../domain/audit/audit-store.ts'
import {
  findIntegratorReset,
  startIntegratorReset,
  useIntegratorReset,
} from '../../domain/integrators/integrator-reset-store.ts'
import { findIntegratorByEmail } from '../../domain/integrators/integrator-store.ts'
import { countPasskeys } from '../../domain/integrators/passkey-store.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import { passwordFault } from '../../domain/users/password-rules.ts'
import { emailFault } from '../../domain/users/sign-up.ts'
import { sendPage } from '../../http/page.ts'
import { passwordChangedMail, resetMail } from '../../ui/account-mails.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import { BUSY } from '../threshold/try-password.ts'
import { doingOf, type Visit } from '../threshold/visit.ts'
import {
  linkGonePage,
  newPasswordPage,
  passwordChangedPage,
  resetOffPage,
  resetPage,
  resetSentPage,
} from './reset-view.ts'
import { TOO_MANY_MAILS } from './sign-up.ts'

/** /portal/reset asks for a link by mail; /portal/reset/password is where it leads, in whatever browser (decision B22). */
export function resetRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  function ask(visit: Visit, status: number, email: string, fault: string | null, error: string | null): FastifyReply {
    if (parts.mailer === null) return sendPage(visit.reply, 404, resetOffPage())
    return sendPage(visit.reply, status, resetPage({ csrf: visit.browser.csrf, email, fault, error }))
  }

  async function sendLink(visit: Visit): Promise<FastifyReply> {
    const email = visit.form.get('email')?.trim() ?? ''
    const fault = emailFault(email)
    if (parts.mailer === null || fault !== null) return ask(visit, 400, email, fault, null)
    const allowed = await countAttempt(db, mailLimits('portal reset', email, visit.browser.address))
    if (!allowed.allowed) return ask(visit, 429, email, null, TOO_MANY_MAILS)
    // Whether there is such an account is looked up after the answer, so neither what it says nor its time can tell.
    parts.afterwards.run('send a link for a new password', () => mailLink(email))
    return sendPage(visit.reply, 200, resetSentPage({ email, mailboxUrl: parts.mailboxUrl }))
  }

  async function mailLink(email: string): Promise<void> {
    const found = await findIntegratorByEmail(db, email)
    if (found === null) return
    const secret = await startIntegratorReset(db, found.integrator.id)
    // In the query, which no log of ours has in it.
    await parts.mailer?.send(resetMail(found.integrator.email, portalUrl(parts, `/reset/password?secret=${secret}`)))
  }

  async function setPassword(visit: Visit): Promise<FastifyReply> {
    const { form, browser, reply, request } = visit
    const secret = form.get('secret') ?? ''
    const known = await findIntegratorReset(db, secret)
    if (known === null) return sendPage(reply, 400, linkGonePage())
    const view = { secret, csrf: browser.csrf, email: known.email, fault: null, error: null }
    const password = form.get('password')
    const fault = passwordFault(password, { email: known.email, username: null })
    if (password === null || fault !== null) return sendPage(reply, 400, newPasswordPage({ ...view, fault }))
    const passwordHash = await parts.passwords.hash(password)
    if (passwordHash === null) return sendPage(reply, 503, newPasswordPage({ ...view, error: BUSY }))
    const integrator = await useIntegratorReset(db, { secret, passwordHash, browser: browser.id }, (tx, who) =>
      appendAudit(tx, {
        ...doingOf(who, request),
        action: 'account.password-reset',
        teamId: null,
        applicationId: null,
        before: null,
        after: null,
      }),
    )
    if (integrator === null) return sendPage(reply, 400, linkGonePage())
    // Wrong guesses at the old password count no more, and the owner hears of the new one.
    await forgive(db, [], [signInLimits(integrator.email, browser.address, 'portal sign-in').accountAndAddress])
    const passkeys = await countPasskeys(db, integrator.id)
    const mail = passwordChangedMail(integrator.email, portalUrl(parts, '/reset'), 'All browsers', passkeys)
    parts.afterwards.run('tell of a new password', async () => parts.mailer?.send(mail))
    return sendPage(reply, 200, passwordChangedPage(integrator.email, passkeys))
  }

  return [
    { method: 'GET', path: '/reset', who: 'anyone', answer: async (visit) => ask(visit, 200, '', null, null) },
    { method: 'POST', path: '/reset', who: 'anyone', answer: sendLink },
    {
      method: 'GET',
      path: '/reset/password',
      who: 'anyone',
      answer: async (visit) => {
        const secret = visit.query.get('secret') ?? ''
        const known = await findIntegratorReset(db, secret)
        if (known === null) return sendPage(visit.reply, 400, linkGonePage())
        const view = { secret, csrf: visit.browser.csrf, email: known.email, fault: null, error: null }
        return sendPage(visit.reply, 200, newPasswordPage(view))
      },
    },
    { method: 'POST', path: '/reset/password', who: 'anyone', answer: setPassword },
  ]
}
