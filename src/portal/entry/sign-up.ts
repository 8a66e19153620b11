import type { FastifyReply } from 'fastify'
import {
  type IntegratorFaults,
  type IntegratorTyped,
  type NewIntegrator,
  readIntegrator,
} from '../../domain/integrators/integrator-sign-up.ts'
import { keepIntegratorSignUp } from '../../domain/integrators/integrator-sign-up-store.ts'
import { findIntegratorByEmail } from '../../domain/integrators/integrator-store.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import { findOffer } from '../../domain/teams/join-store.ts'
import { newCode } from '../../domain/users/sign-up-store.ts'
import { sendPage } from '../../http/page.ts'
import { addressKnownMail, codeMail } from '../../ui/account-mails.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import { BUSY } from '../threshold/try-password.ts'
import { goTo, type Visit } from '../threshold/visit.ts'
import { invitationOf, onwards } from './invitation.ts'
import { signUpOffPage, signUpPage } from './sign-up-view.ts'

type Shown = { status?: number; typed?: Partial<IntegratorTyped>; faults?: IntegratorFaults; error?: string }

/** /portal/sign-up: the account is made when the address is proven, on /portal/verify (decision B22). */
export function signUpRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function begin(visit: Visit): Promise<FastifyReply> {
    const { form, reply, browser } = visit
    if (parts.mailer === null) return sendPage(reply, 404, signUpOffPage())
    const typed = { name: form.get('name'), email: form.get('email'), password: form.get('password') }
    const read = readIntegrator(typed)
    if ('faults' in read) return showSignUp(parts, visit, { status: 400, typed, faults: read.faults })
    const limits = mailLimits('portal sign-up', read.newcomer.email, browser.address)
    const allowed = await countAttempt(db, limits)
    if (!allowed.allowed) return showSignUp(parts, visit, { status: 429, typed, error: TOO_MANY_MAILS })
    if (await keep(visit, read.newcomer)) return goTo(reply, '/verify')
    // No mail is sent, so none is counted (decision record 94).
    await forgive(db, limits, [])
    return showSignUp(parts, visit, { status: 503, typed, error: BUSY })
  }

  /** Known and unknown addresses cost the same work in the same order; only the mail differs, and nobody waits for it. */
  async function keep(visit: Visit, { password, ...newcomer }: NewIntegrator): Promise<boolean> {
    const passwordHash = await parts.passwords.hash(password)
    if (passwordHash === null) return false
    const known = await knownAddress(parts, newcomer.email)
    const code = newCode()
    const details = { ...newcomer, passwordHash, invitation: invitationOf(visit) }
    await keepIntegratorSignUp(db, parts.cipher, visit.browser.id, details, known === null ? code : null)
    sendSignUpMail(parts, newcomer.email, known, code)
    return true
  }

  return [
    {
      method: 'GET',
      path: '/sign-up',
      who: 'anyone',
      answer: async (visit) => {
        if (visit.browser.session !== null) return goTo(visit.reply, onwards(invitationOf(visit)))
        return showSignUp(parts, visit, {})
      },
    },
    { method: 'POST', path: '/sign-up', who: 'anyone', answer: begin },
  ]
}

export async function showSignUp(
  { db, mailer }: PortalParts,
  visit: Visit,
  { status = 200, typed, faults = {}, error }: Shown,
): Promise<FastifyReply> {
  if (mailer === null) return sendPage(visit.reply, 404, signUpOffPage())
  const invitation = invitationOf(visit)
  const offer = invitation === null ? null : await findOffer(db, invitation)
  const view = { csrf: visit.browser.csrf, invitation, offer, faults, error: error ?? null }
  return sendPage(visit.reply, status, signUpPage({ ...view, typed: typed ?? { email: offer?.email ?? null } }))
}

export const TOO_MANY_MAILS = 'Too many mails were asked for. Wait a quarter of an hour and try again.'

/** Null when no account has the address; else the address as its owner wrote it. */
export async function knownAddress({ db }: PortalParts, email: string): Promise<string | null> {
  return (await findIntegratorByEmail(db, email))?.integrator.email ?? null
}

export function sendSignUpMail(parts: PortalParts, email: string, known: string | null, code: string): void {
  const mail = known === null ? codeMail(email, code) : addressKnownMail(known, portalUrl(parts, '/reset'))
  parts.afterwards.run('send a sign-up mail', async () => parts.mailer?.send(mail))
}
