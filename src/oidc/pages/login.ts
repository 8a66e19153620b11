import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Interaction, markPending } from '../../domain/sessions/interaction-store.ts'
import { hasTotp } from '../../domain/users/totp-store.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import type { Form } from '../../http/form.ts'
import { sendPage } from '../../http/page.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { formBody } from '../oauth/form-body.ts'
import { loginPage } from './login-view.ts'
import type { PageParts } from './page-parts.ts'
import { signIn } from './sign-in.ts'
import { tryPassword } from './try-password.ts'

/** /oidc/login: e-mail or username, and password. */
export function loginRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get('/login', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const interaction = await requireInteraction(parts.db, request, browser)
    return show(reply, browser, interaction, { status: 200, login: null, error: null })
  })

  app.post('/login', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const interaction = await requireInteraction(parts.db, request, browser, form)
    const outcome = await attempt(parts, browser, form)
    switch (outcome.kind) {
      case 'refused':
        if (outcome.retryAfterSeconds !== null) reply.header('retry-after', String(outcome.retryAfterSeconds))
        return show(reply, browser, interaction, {
          status: outcome.status,
          login: form.get('username'),
          error: outcome.message,
        })
      case 'code-needed':
        await markPending(parts.db, interaction.secret, outcome.userId)
        return reply.code(303).header('location', `/oidc/totp?interaction=${interaction.secret}`).send()
      case 'right':
        await signIn(parts, reply, browser, outcome.userId)
        return reply.code(303).header('location', `/oidc/continue?interaction=${interaction.secret}`).send()
    }
  })

  async function show(
    reply: FastifyReply,
    browser: Browser,
    interaction: Interaction,
    shown: { status: number; login: string | null; error: string | null },
  ): Promise<FastifyReply> {
    const waiting = await requestOf(parts.reader, interaction)
    const markup = loginPage({
      interaction: interaction.secret,
      csrf: browser.csrf,
      applicationName: waiting?.application.name ?? null,
      login: shown.login ?? waiting?.loginHint ?? '',
      error: shown.error,
      signUp: parts.signUpIsOn,
      reset: parts.mailer !== null,
    })
    return sendPage(reply, shown.status, markup, waiting?.redirectUri ?? null)
  }
}

type Outcome =
  | { kind: 'right'; userId: string }
  | { kind: 'code-needed'; userId: string }
  | { kind: 'refused'; status: number; message: string; retryAfterSeconds: number | null }

const WRONG = 'The e-mail, username or password is not right.'

async function attempt(parts: PageParts, browser: Browser, form: Form): Promise<Outcome> {
  const tried = await tryPassword(parts, browser, form.get('username') ?? '', form.get('password') ?? '')
  switch (tried.outcome) {
    case 'wrong':
      return { kind: 'refused', status: 400, message: WRONG, retryAfterSeconds: null }
    case 'refused':
      return {
        kind: 'refused',
        status: tried.status,
        message: tried.message,
        retryAfterSeconds: tried.retryAfterSeconds,
      }
    case 'right':
      return { kind: (await hasTotp(parts.db, tried.user.id)) ? 'code-needed' : 'right', userId: tried.user.id }
  }
}
