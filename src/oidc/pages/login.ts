import type { FastifyInstance, FastifyReply } from 'fastify'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import { type Interaction, markPending } from '../../domain/sessions/interaction-store.ts'
import { isKnownBrowser } from '../../domain/sessions/known-browser-store.ts'
import { checkPassword } from '../../domain/users/check-password.ts'
import { hasTotp } from '../../domain/users/totp-store.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import type { Form } from '../../http/form.ts'
import { sendPage } from '../../http/page.ts'
import { requestOf, requireInteraction } from '../authorize.ts'
import { formBody } from '../form-body.ts'
import { loginPage } from './login-view.ts'
import type { PageParts } from './page-parts.ts'
import { signIn } from './sign-in.ts'

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
    })
    return sendPage(reply, shown.status, markup, waiting?.redirectUri ?? null)
  }
}

type Outcome =
  | { kind: 'right'; userId: string }
  | { kind: 'code-needed'; userId: string }
  | { kind: 'refused'; status: number; message: string }

const TOO_MANY = 'Too many attempts. Wait a quarter of an hour, or reset your password.'
const WRONG = 'The e-mail, username or password is not right.'

/** Counted before it is tried, so that guesses at the same moment cannot slip through together (decision B18). */
async function attempt({ db, passwords }: PageParts, browser: Browser, form: Form): Promise<Outcome> {
  const login = form.get('username') ?? ''
  const limits = signInLimits(login, browser.address)
  const counted = (await isKnownBrowser(db, login, browser.id)) ? [limits.accountAndAddress] : limits.all
  const allowed = await countAttempt(db, counted)
  if (!allowed.allowed) return { kind: 'refused', status: 429, message: TOO_MANY }
  const checked = await checkPassword(db, passwords, login, form.get('password') ?? '')
  if (checked.outcome === 'busy')
    return { kind: 'refused', status: 503, message: 'The service is busy. Try again in a moment.' }
  if (checked.outcome === 'refused') return { kind: 'refused', status: 400, message: WRONG }
  await forgive(db, counted, [limits.accountAndAddress])
  const kind = (await hasTotp(db, checked.user.id)) ? 'code-needed' : 'right'
  return { kind, userId: checked.user.id }
}
