import type { FastifyInstance, FastifyReply } from 'fastify'
import { countAttempt } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import { type Interaction, startInteraction } from '../../domain/sessions/interaction-store.ts'
import { startReset } from '../../domain/sessions/password-reset-store.ts'
import { findUserByLogin } from '../../domain/users/user-store.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import { resetMail } from '../../ui/account-mails.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { formBody } from '../oauth/form-body.ts'
import type { PageParts } from './page-parts.ts'
import { resetOffPage, resetPage, resetSentPage } from './reset-view.ts'
import { TOO_MANY_MAILS } from './signup.ts'

/** /oidc/reset: asks for a link by mail with which to choose a new password (decision B22). */
export function resetRoutes(app: FastifyInstance, parts: PageParts): void {
  const { db, mailer } = parts

  app.get('/reset', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    if (!new URLSearchParams(request.url.split('?', 2)[1] ?? '').has('interaction')) {
      // By the link in a mail of ours, and not from a page.
      const started = await startInteraction(db, browser.id, null)
      return reply.code(303).header('location', `/oidc/reset?interaction=${started}`).send()
    }
    const interaction = await requireInteraction(db, request, browser)
    const waiting = await requestOf(parts.reader, interaction)
    return show(reply, browser, interaction, { login: waiting?.loginHint ?? '' })
  })

  app.post('/reset', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const interaction = await requireInteraction(db, request, browser, form)
    const login = form.get('username')?.trim() ?? ''
    if (mailer === null) return show(reply, browser, interaction, { login })
    if (login === '')
      return show(reply, browser, interaction, { status: 400, login, fault: 'Type your e-mail address or username.' })
    const allowed = await countAttempt(db, mailLimits('reset', login, browser.address))
    if (!allowed.allowed) return show(reply, browser, interaction, { status: 429, login, error: TOO_MANY_MAILS })
    // Whether there is such a person is looked up after the answer, so neither what it says nor its time can tell.
    parts.afterwards.run('send a link for a new password', () => mailLink(login, interaction.secret))
    const { mailboxUrl } = parts
    return sendPage(reply, 200, resetSentPage({ interaction: interaction.secret, login, mailboxUrl }))
  })

  /** To the address that is stored, whatever was typed, and at the address that is configured, whatever the request said. */
  async function mailLink(login: string, interaction: string): Promise<void> {
    const found = await findUserByLogin(db, login)
    if (found === null || found.blocked) return
    const secret = await startReset(db, found.user)
    if (secret === null) return
    // In the query, which no log of ours has in it. With the interaction the same browser goes on to where it was going.
    const query = new URLSearchParams({ secret, interaction })
    await mailer?.send(resetMail(found.user.email, `${parts.authUrl}/oidc/reset/password?${query.toString()}`))
  }

  function show(
    reply: FastifyReply,
    browser: Browser,
    { secret }: Interaction,
    { status = 200, login, fault, error }: { status?: number; login: string; fault?: string; error?: string },
  ): FastifyReply {
    if (mailer === null) return sendPage(reply, 404, resetOffPage(secret))
    const markup = resetPage({
      interaction: secret,
      csrf: browser.csrf,
      login,
      fault: fault ?? null,
      error: error ?? null,
    })
    return sendPage(reply, status, markup)
  }
}
