import type { FastifyReply } from 'fastify'
import { findAccount } from '../../domain/credentials/account-store.ts'
import { endPendingAccount, findPendingAccount } from '../../domain/credentials/pending-sign-in-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { sendPage } from '../../http/page.ts'
import { supportEntryPage } from '../../ui/support-layout.ts'
import { recoveryContent, TOO_MANY_CODES, totpContent, WRONG_CODE, WRONG_RECOVERY_CODE } from '../../ui/two-factor.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { tryCode } from '../threshold/prove.ts'
import { signInBrowser } from '../threshold/sign-in-browser.ts'
import { goTo, type Visit } from '../threshold/visit.ts'

type CodeKind = 'totp' | 'recovery'

/** /support/code: the step between a right password and the session. Whose code is awaited is stored for the browser. */
export function codeRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts

  /** Null when the password was never right here, or too long ago. */
  async function whoseCode({ browser }: Visit) {
    const id = await findPendingAccount(db, STAFF, browser.id)
    return id === null ? null : findAccount(db, STAFF, id)
  }

  async function takeCode(visit: Visit): Promise<FastifyReply> {
    const { form, reply, browser } = visit
    const member = await whoseCode(visit)
    if (member === null) return goTo(reply, '/sign-in')
    const kind: CodeKind = form.has('recovery_code') ? 'recovery' : 'totp'
    const typed = form.get('recovery_code') ?? form.get('code') ?? ''
    switch (await tryCode(parts, visit, member, typed)) {
      case 'wrong':
        return show(visit, kind, 400, kind === 'recovery' ? WRONG_RECOVERY_CODE : WRONG_CODE)
      case 'too-many':
        return show(visit, kind, 429, TOO_MANY_CODES)
      case 'right':
        // A new password since then ends it.
        if (!(await endPendingAccount(db, STAFF, browser.id, member.id))) return goTo(reply, '/sign-in')
        await signInBrowser(parts, reply, browser, { id: member.id, secondFactor: true })
        return goTo(reply, '')
    }
  }

  return [
    {
      method: 'GET',
      path: '/code',
      who: 'anyone',
      answer: async (visit) => {
        if ((await whoseCode(visit)) === null) return goTo(visit.reply, '/sign-in')
        return show(visit, visit.query.get('with') === 'recovery' ? 'recovery' : 'totp', 200, null)
      },
    },
    { method: 'POST', path: '/code', who: 'anyone', answer: takeCode },
  ]
}

const LINKS = { app: '/support/code', recovery: '/support/code?with=recovery', signIn: '/support/sign-in' }

function show({ reply, browser }: Visit, kind: CodeKind, status: number, error: string | null): FastifyReply {
  const content = { action: '/support/code', keep: { csrf: browser.csrf }, links: LINKS, error }
  const markup =
    kind === 'recovery'
      ? supportEntryPage('Use a recovery code', recoveryContent(content))
      : supportEntryPage('Enter your code', totpContent(content))
  return sendPage(reply, status, markup)
}
