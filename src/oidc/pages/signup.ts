import type { FastifyInstance, FastifyReply } from 'fastify'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import type { Interaction } from '../../domain/sessions/interaction-store.ts'
import { type NewPerson, readSignUp, type SignUpFaults, type SignUpTyped } from '../../domain/users/sign-up.ts'
import { isUsernameTaken, keepSignUp, knownAddress, newCode } from '../../domain/users/sign-up-store.ts'
import { type Browser, readBrowser, requireOwnForm } from '../../http/browser.ts'
import type { Form } from '../../http/form.ts'
import { sendPage } from '../../http/page.ts'
import { addressKnownMail, codeMail } from '../../ui/account-mails.ts'
import { requestOf, requireInteraction } from '../authorize/interaction.ts'
import { formBody } from '../oauth/form-body.ts'
import type { PageParts } from './page-parts.ts'
import { signUpOffPage, signUpPage } from './signup-view.ts'

/** /oidc/signup: who somebody new is. The account is made when they proved their address, on /oidc/verify (decision B22). */
export function signUpRoutes(app: FastifyInstance, parts: PageParts): void {
  app.get('/signup', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const interaction = await requireInteraction(parts.db, request, browser)
    if (!parts.signUpIsOn) return sendPage(reply, 404, signUpOffPage(interaction.secret))
    const waiting = await requestOf(parts.reader, interaction)
    const hint = waiting?.loginHint ?? null
    return showSignUp(parts, reply, browser, interaction, { typed: { email: hint?.includes('@') ? hint : null } })
  })

  app.post('/signup', async (request, reply) => {
    const browser = await readBrowser(parts.browsers, request, reply)
    const form = formBody(request)
    requireOwnForm(parts.browsers, browser, request, form)
    const interaction = await requireInteraction(parts.db, request, browser, form)
    if (!parts.signUpIsOn) return sendPage(reply, 404, signUpOffPage(interaction.secret))
    const typed = typedIn(form)
    const read = readSignUp(typed)
    if ('faults' in read) {
      const faults = { ...(await usernameTaken(parts, typed, read.faults)), ...read.faults }
      return showSignUp(parts, reply, browser, interaction, { status: 400, typed, faults })
    }
    const refused = await begin(parts, browser, interaction, read.person)
    if (refused !== null) return showSignUp(parts, reply, browser, interaction, { ...refused, typed })
    return reply.code(303).header('location', `/oidc/verify?interaction=${interaction.secret}`).send()
  })
}

export type SignUpShown = {
  status?: number
  typed?: Partial<SignUpTyped>
  faults?: SignUpFaults
  error?: string
}

export async function showSignUp(
  parts: PageParts,
  reply: FastifyReply,
  browser: Browser,
  interaction: Interaction,
  { status = 200, typed = {}, faults = {}, error }: SignUpShown,
): Promise<FastifyReply> {
  const waiting = await requestOf(parts.reader, interaction)
  const markup = signUpPage({
    interaction: interaction.secret,
    csrf: browser.csrf,
    applicationName: waiting?.application.name ?? null,
    typed,
    faults,
    error: error ?? null,
  })
  return sendPage(reply, status, markup, waiting?.redirectUri ?? null)
}

/** Known and unknown addresses cost the same work in the same order; only the mail differs, and nobody waits for it. */
async function begin(
  parts: PageParts,
  browser: Browser,
  interaction: Interaction,
  { password, ...person }: NewPerson,
): Promise<SignUpShown | null> {
  const { db, cipher, passwords } = parts
  const faults = await usernameTaken(parts, person, {})
  if (faults.username !== undefined) return { status: 400, faults }
  const limits = mailLimits('sign-up', person.email, browser.address)
  const allowed = await countAttempt(db, limits)
  if (!allowed.allowed) return { status: 429, error: TOO_MANY_MAILS }
  const passwordHash = await passwords.hash(password)
  if (passwordHash === null) {
    // No mail is sent, so none is counted (decision record 94).
    await forgive(db, limits, [])
    return { status: 503, error: 'The service is busy. Try again in a moment.' }
  }
  const known = await knownAddress(db, person.email)
  const code = newCode()
  const place = { secret: interaction.secret, browser: browser.id }
  await keepSignUp(db, cipher, place, { ...person, passwordHash }, known === null ? code : null)
  sendSignUpMail(parts, person.email, known, code)
  return null
}

export const TOO_MANY_MAILS = 'Too many mails were asked for. Wait a quarter of an hour and try again.'

/** To the address as its owner wrote it, if it has one. */
export function sendSignUpMail(
  { mailer, afterwards, authUrl }: PageParts,
  email: string,
  known: string | null,
  code: string,
): void {
  const mail = known === null ? codeMail(email, code) : addressKnownMail(known, `${authUrl}/oidc/reset`)
  afterwards.run('send a sign-up mail', async () => mailer?.send(mail))
}

/** Usernames are seen by others anyway, so that one is taken may be said; that an address is, never. */
async function usernameTaken(
  { db }: PageParts,
  { username }: { username: string | null },
  others: SignUpFaults,
): Promise<SignUpFaults> {
  if (username === null || others.username !== undefined || !(await isUsernameTaken(db, username))) return {}
  return { username: 'Somebody has this username already. Choose another, or leave it empty.' }
}

function typedIn(form: Form): SignUpTyped {
  return {
    role: form.get('role'),
    name: form.get('name'),
    nickname: form.get('nickname'),
    email: form.get('email'),
    username: form.get('username'),
    password: form.get('password'),
    phoneNumber: form.get('phoneNumber'),
    city: form.get('city'),
    state: form.get('state'),
  }
}
