import type { FastifyReply } from 'fastify'
import { endAccountSession } from '../../domain/credentials/account-session-store.ts'
import { findAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { keepPendingAccount } from '../../domain/credentials/pending-sign-in-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { clearSessionCookie } from '../../http/browser.ts'
import { sendPage } from '../../http/page.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { passwordRefusal, tryPassword } from '../threshold/prove.ts'
import { signInBrowser } from '../threshold/sign-in-browser.ts'
import { goTo, STAFF_SESSIONS, type Visit } from '../threshold/visit.ts'
import { signInPage } from './sign-in-view.ts'

const WRONG = 'The e-mail or password is not right.'

/** /support/sign-in and /support/sign-out. */
export function signInRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts

  async function signIn(visit: Visit): Promise<FastifyReply> {
    const { form, reply, browser } = visit
    const email = form.get('email') ?? ''
    const tried = await tryPassword(parts, visit, email, form.get('password') ?? '')
    if (tried.outcome !== 'right') {
      const refused = passwordRefusal(tried, WRONG)
      if ('retryAfterSeconds' in tried) reply.header('retry-after', String(tried.retryAfterSeconds))
      return show(visit, refused?.status ?? 400, email, refused?.faults.page ?? WRONG)
    }
    if ((await findAccountTotp(db, STAFF, tried.account.id)) !== null) {
      await keepPendingAccount(db, STAFF, browser.id, tried.account.id)
      return goTo(reply, '/code')
    }
    // Without a second factor every page but the one that sets it up leads there.
    await signInBrowser(parts, reply, browser, { id: tried.account.id, secondFactor: false })
    return goTo(reply, '')
  }

  return [
    {
      method: 'GET',
      path: '/sign-in',
      who: 'anyone',
      answer: async (visit) => (visit.browser.session === null ? show(visit, 200, '', null) : goTo(visit.reply, '')),
    },
    { method: 'POST', path: '/sign-in', who: 'anyone', answer: signIn },
    {
      method: 'POST',
      path: '/sign-out',
      who: 'signed-in',
      answer: async (visit) => {
        await endAccountSession(db, STAFF, visit.me.id, visit.session.sid)
        clearSessionCookie(parts.browsers, visit.reply, STAFF_SESSIONS)
        return goTo(visit.reply, '/sign-in')
      },
    },
  ]
}

function show(visit: Visit, status: number, email: string, error: string | null): FastifyReply {
  return sendPage(visit.reply, status, signInPage({ csrf: visit.browser.csrf, email, error }))
}
