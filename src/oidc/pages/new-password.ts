import type { FastifyInstance } from 'fastify'
import { forgive } from '../../domain/limits/failure-store.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import { findInteraction, startInteraction } from '../../domain/sessions/interaction-store.ts'
import { findReset, usePasswordReset } from '../../domain/sessions/password-reset-store.ts'
import { passwordFault } from '../../domain/users/password-rules.ts'
import type { User } from '../../domain/users/user.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import { passwordChangedMail } from '../../ui/account-mails.ts'
import { formBody } from '../oauth/form-body.ts'
import { linkGonePage, newPasswordPage, passwordChangedPage } from './new-password-view.ts'
import type { PageParts } from './page-parts.ts'

/** What a new password ends, as a mail says it. */
export const SIGNED_OUT = 'Other browsers and connected applications'

/** /oidc/reset/password: where the mailed link leads, in whatever browser. It signs nobody in: one-time codes stay in force. */
export function newPasswordRoutes(app: FastifyInstance, parts: PageParts): void {
  const { db } = parts

  app.get('/reset/password', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const query = new URLSearchParams(request.url.split('?', 2)[1] ?? '')
    const secret = query.get('secret') ?? ''
    const user = await findReset(db, secret)
    if (user === null) return sendPage(reply, 400, linkGonePage())
    const interaction = query.get('interaction') ?? ''
    const { email } = user
    const markup = newPasswordPage({ secret, interaction, csrf: browser.csrf, email, fault: null, error: null })
    return sendPage(reply, 200, markup)
  })

  app.post('/reset/password', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const secret = form.get('secret') ?? ''
    const interaction = form.get('interaction') ?? ''
    const known = await findReset(db, secret)
    if (known === null) return sendPage(reply, 400, linkGonePage())
    const view = { secret, interaction, csrf: browser.csrf, email: known.email, fault: null, error: null }
    const password = form.get('password')
    const fault = passwordFault(password, known)
    if (password === null || fault !== null) return sendPage(reply, 400, newPasswordPage({ ...view, fault }))
    const passwordHash = await parts.passwords.hash(password)
    if (passwordHash === null) {
      const error = 'The service is busy. Try again in a moment.'
      return sendPage(reply, 503, newPasswordPage({ ...view, error }))
    }
    const user = await usePasswordReset(db, { secret, passwordHash, browser: browser.id })
    if (user === null) return sendPage(reply, 400, linkGonePage())
    await welcomeBack(user, browser)
    const { email } = user
    return sendPage(reply, 200, passwordChangedPage({ interaction: await whereToGoOn(interaction, browser), email }))
  })

  /** Wrong guesses at the old password count no more, and the owner hears of the new one. */
  async function welcomeBack({ email, username }: User, { address }: Browser): Promise<void> {
    const names = [email, username].filter((name) => name !== null)
    await forgive(
      db,
      [],
      names.map((name) => signInLimits(name, address).accountAndAddress),
    )
    const mail = passwordChangedMail(email, `${parts.authUrl}/oidc/reset`, SIGNED_OUT)
    parts.afterwards.run('tell of a new password', async () => parts.mailer?.send(mail))
  }

  /** To the application that waits, if the link was opened in the browser that asked for it. */
  async function whereToGoOn(interaction: string, { id }: Browser): Promise<string> {
    const waiting = await findInteraction(db, interaction, id)
    return waiting?.secret ?? startInteraction(db, id, null)
  }
}
