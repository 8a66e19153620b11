import type { FastifyReply } from 'fastify'
import {
  findIntegratorSignUp,
  finishIntegratorSignUp,
  replaceIntegratorCode,
  type WaitingSignUp,
} from '../../domain/integrators/integrator-sign-up-store.ts'
import { countAttempt } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import { welcomeNewcomer } from '../../domain/teams/join-store.ts'
import { newCode } from '../../domain/users/sign-up-store.ts'
import { sendPage } from '../../http/page.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { signInBrowser } from '../threshold/sign-in-browser.ts'
import { doingOf, goTo, type Visit } from '../threshold/visit.ts'
import { knownAddress, sendSignUpMail, showSignUp, TOO_MANY_MAILS } from './sign-up.ts'
import { type VerifyView, verifyPage } from './verify-view.ts'

type Shown = { status?: number } & Partial<Pick<VerifyView, 'fault' | 'notice'>>

const SPENT = 'This code no longer works: it was tried too often, or it is older than 15 minutes. Ask for another mail.'

/** /portal/verify: the six digits that prove an address, in the browser in which the sign-up began (decision B22). */
export function verifyRoutes(parts: PortalParts): PortalRoute[] {
  const { db, cipher } = parts

  function show(visit: Visit, details: WaitingSignUp, { status = 200, fault = null, notice = null }: Shown) {
    const { email, invitation } = details
    const view = { csrf: visit.browser.csrf, email, invitation, fault, notice, mailboxUrl: parts.mailboxUrl }
    return sendPage(visit.reply, status, verifyPage(view))
  }

  async function tryDigits(visit: Visit, details: WaitingSignUp): Promise<FastifyReply> {
    const { form, browser, reply, request } = visit
    const digits = (form.get('code') ?? '').replaceAll(/[\s-]/g, '')
    // What cannot be a code is no attempt.
    if (!/^\d{6}$/.test(digits))
      return show(visit, details, { status: 400, fault: 'Type the six digits from the mail.' })
    const tried = await finishIntegratorSignUp(db, cipher, browser.id, digits, (tx, integrator, invitation) =>
      welcomeNewcomer(tx, integrator, invitation, doingOf(integrator, request)),
    )
    switch (tried.outcome) {
      case 'right':
        await signInBrowser(parts, reply, browser, tried.integrator.id)
        return goTo(reply, '')
      case 'done':
        return goTo(reply, '')
      case 'wrong':
        return show(visit, details, { status: 400, fault: wrongCode(tried.attemptsLeft) })
      case 'spent':
        return show(visit, details, { status: 400, fault: SPENT })
      case 'taken': {
        // Whoever comes here had the right code, so the address is theirs and they may know that it has an account.
        const faults = { email: 'This address has an account since a moment ago. Sign in with it.' }
        return showSignUp(parts, visit, { status: 400, typed: { name: details.name, email: details.email }, faults })
      }
    }
  }

  async function sendAgain(visit: Visit, details: WaitingSignUp): Promise<FastifyReply> {
    const { email } = details
    const allowed = await countAttempt(db, mailLimits('portal sign-up', email, visit.browser.address))
    if (!allowed.allowed) return show(visit, details, { status: 429, notice: { kind: 'error', text: TOO_MANY_MAILS } })
    const known = await knownAddress(parts, email)
    const code = newCode()
    await replaceIntegratorCode(db, visit.browser.id, known === null ? code : null)
    sendSignUpMail(parts, email, known, code)
    const text = 'Another mail is on its way. The code before it no longer works.'
    return show(visit, details, { notice: { kind: 'done', text } })
  }

  return [
    {
      method: 'GET',
      path: '/verify',
      who: 'anyone',
      answer: async (visit) => {
        const details = await findIntegratorSignUp(db, cipher, visit.browser.id)
        return details === null ? goTo(visit.reply, '/sign-up') : show(visit, details, {})
      },
    },
    {
      method: 'POST',
      path: '/verify',
      who: 'anyone',
      answer: async (visit) => {
        const details = await findIntegratorSignUp(db, cipher, visit.browser.id)
        // Done a moment ago by the same form sent twice, or never begun.
        if (details === null) return goTo(visit.reply, '')
        return visit.form.has('again') ? sendAgain(visit, details) : tryDigits(visit, details)
      },
    },
  ]
}

function wrongCode(left: number): string {
  if (left === 0) return SPENT
  return `That is not the code in our last mail. ${left === 1 ? 'One attempt is' : `${left} attempts are`} left.`
}
