import type { FastifyReply } from 'fastify'
import { endIntegratorSession } from '../../domain/integrators/integrator-session-store.ts'
import { findIntegratorTotp } from '../../domain/integrators/integrator-totp-store.ts'
import { keepPendingSignIn } from '../../domain/integrators/pending-sign-in-store.ts'
import { clearSessionCookie } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { signInBrowser } from '../threshold/sign-in-browser.ts'
import { tryPassword } from '../threshold/try-password.ts'
import { goTo, INTEGRATORS, type Visit } from '../threshold/visit.ts'
import { afterwards, errandOf, withErrand } from './errand.ts'
import { invitationOf, withInvitation } from './invitation.ts'
import { signInPage } from './sign-in-view.ts'

const WRONG = 'The e-mail or password is not right.'

/** /portal/sign-in and /portal/sign-out. */
export function signInRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts
  const show = (visit: Visit, status: number, email: string, error: string | null) =>
    showSignIn(parts, visit, status, { email, error })

  async function signIn(visit: Visit): Promise<FastifyReply> {
    const { form, reply, browser } = visit
    const email = form.get('email') ?? ''
    const tried = await tryPassword(parts, browser, email, form.get('password') ?? '')
    switch (tried.outcome) {
      case 'refused':
        reply.header('retry-after', String(tried.retryAfterSeconds))
        return show(visit, tried.status, email, tried.message)
      case 'wrong':
        return show(visit, 400, email, WRONG)
      case 'right': {
        const errand = errandOf(parts, visit)
        if ((await findIntegratorTotp(db, tried.integrator.id)) !== null) {
          await keepPendingSignIn(db, browser.id, tried.integrator.id)
          return goTo(reply, withErrand('/code', errand))
        }
        await signInBrowser(parts, reply, browser, tried.integrator.id)
        return goTo(reply, afterwards(errand))
      }
    }
  }

  return [
    {
      method: 'GET',
      path: '/sign-in',
      who: 'anyone',
      answer: async (visit) =>
        visit.browser.session === null
          ? show(visit, 200, '', null)
          : goTo(visit.reply, afterwards(errandOf(parts, visit))),
    },
    { method: 'POST', path: '/sign-in', who: 'anyone', answer: signIn },
    {
      method: 'POST',
      path: '/sign-out',
      who: 'signed-in',
      answer: async (visit) => {
        await endIntegratorSession(db, visit.me.id, visit.session.sid)
        clearSessionCookie(parts.browsers, visit.reply, INTEGRATORS)
        return goTo(visit.reply, withInvitation('/sign-in', invitationOf(visit)))
      },
    },
  ]
}

export function showSignIn(
  parts: PortalParts,
  visit: Visit,
  status: number,
  { email, error }: { email: string; error: string | null },
): FastifyReply {
  const { csrf } = visit.browser
  const view = { csrf, errand: errandOf(parts, visit), email, error, mail: parts.mailer !== null }
  return sendPage(visit.reply, status, signInPage(view))
}
