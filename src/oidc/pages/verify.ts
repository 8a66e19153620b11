import type { FastifyInstance, FastifyReply } from 'fastify'
import { countAttempt } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import type { Interaction } from '../../domain/sessions/interaction-store.ts'
import {
  findSignUp,
  finishSignUp,
  knownAddress,
  newCode,
  replaceCode,
  type SignUpDetails,
} from '../../domain/users/sign-up-store.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import type { Form } from '../../http/form.ts'
import { sendPage } from '../../http/page.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { formBody } from '../oauth/form-body.ts'
import type { PageParts } from './page-parts.ts'
import { signIn } from './sign-in.ts'
import { sendSignUpMail, showSignUp, TOO_MANY_MAILS } from './signup.ts'
import { type VerifyView, verifyPage } from './verify-view.ts'

type Shown = { status?: number } & Partial<Pick<VerifyView, 'fault' | 'notice'>>

const SPENT = 'This code no longer works: it was tried too often, or it is older than 15 minutes. Ask for another mail.'

/** /oidc/verify: the six digits that prove an address, in the browser in which the sign-up began (decision B22). */
export function verifyRoutes(app: FastifyInstance, parts: PageParts): void {
  const { db, cipher } = parts

  app.get('/verify', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const interaction = await requireInteraction(db, request, browser)
    const details = await findSignUp(db, cipher, { secret: interaction.secret, browser: browser.id })
    if (details === null) return next(reply, interaction, '/oidc/signup')
    return show(reply, browser, interaction, details, {})
  })

  app.post('/verify', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const interaction = await requireInteraction(db, request, browser, form)
    const details = await findSignUp(db, cipher, { secret: interaction.secret, browser: browser.id })
    // Done a moment ago by the same form sent twice, or never begun: what comes next is decided from what is stored.
    if (details === null) return next(reply, interaction, '/oidc/continue')
    const shown = form.has('again')
      ? await sendAgain(browser, interaction, details)
      : await tryDigits(reply, browser, interaction, form)
    if (shown === 'signed-in') return next(reply, interaction, '/oidc/continue')
    if ('taken' in shown) return startOver(reply, browser, interaction, details, shown.taken)
    return show(reply, browser, interaction, details, shown)
  })

  async function tryDigits(
    reply: FastifyReply,
    browser: Browser,
    interaction: Interaction,
    form: Form,
  ): Promise<Shown | 'signed-in' | { taken: 'email' | 'username' }> {
    const digits = (form.get('code') ?? '').replaceAll(/[\s-]/g, '')
    // What cannot be a code is no attempt.
    if (!/^\d{6}$/.test(digits)) return { status: 400, fault: 'Type the six digits from the mail.' }
    const tried = await finishSignUp(db, cipher, { secret: interaction.secret, browser: browser.id }, digits)
    switch (tried.outcome) {
      case 'right':
        await signIn(parts, reply, browser, tried.userId)
        return 'signed-in'
      case 'done':
        return 'signed-in'
      case 'wrong':
        return { status: 400, fault: tried.attemptsLeft === 0 ? SPENT : wrongCode(tried.attemptsLeft) }
      case 'spent':
        return { status: 400, fault: SPENT }
      case 'email-taken':
        return { taken: 'email' }
      case 'username-taken':
        return { taken: 'username' }
    }
  }

  async function sendAgain(browser: Browser, interaction: Interaction, { email }: SignUpDetails): Promise<Shown> {
    const allowed = await countAttempt(db, mailLimits('sign-up', email, browser.address))
    if (!allowed.allowed) return { status: 429, notice: { kind: 'error', text: TOO_MANY_MAILS } }
    const known = await knownAddress(db, email)
    const code = newCode()
    await replaceCode(db, { secret: interaction.secret, browser: browser.id }, known === null ? code : null)
    sendSignUpMail(parts, email, known, code)
    return { notice: { kind: 'done', text: 'Another mail is on its way. The code before it no longer works.' } }
  }

  async function show(
    reply: FastifyReply,
    browser: Browser,
    interaction: Interaction,
    { email }: SignUpDetails,
    { status = 200, fault = null, notice = null }: Shown,
  ): Promise<FastifyReply> {
    const waiting = await requestOf(parts.reader, interaction)
    const { secret } = interaction
    const { mailboxUrl } = parts
    const markup = verifyPage({ interaction: secret, csrf: browser.csrf, email, fault, notice, mailboxUrl })
    return sendPage(reply, status, markup, waiting?.redirectUri ?? null)
  }

  /** Whoever comes here had the right code, so the address is theirs and they may know that it has an account. */
  function startOver(
    reply: FastifyReply,
    browser: Browser,
    interaction: Interaction,
    details: SignUpDetails,
    taken: 'email' | 'username',
  ): Promise<FastifyReply> {
    const faults =
      taken === 'email'
        ? { email: 'This address has an account since a moment ago. Sign in with it.' }
        : { username: 'Somebody was quicker and took this username. Choose another.' }
    return showSignUp(parts, reply, browser, interaction, { status: 400, typed: details, faults })
  }
}

function next(reply: FastifyReply, { secret }: Interaction, path: string): FastifyReply {
  return reply.code(303).header('location', `${path}?interaction=${secret}`).send()
}

function wrongCode(left: number): string {
  return `That is not the code in our last mail. ${left === 1 ? 'One attempt is' : `${left} attempts are`} left.`
}
