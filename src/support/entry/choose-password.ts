import type { FastifyReply } from 'fastify'
import { appendAudit } from '../../domain/audit/audit-store.ts'
import { findAccountReset, useAccountReset } from '../../domain/credentials/account-reset-store.ts'
import { forgive } from '../../domain/limits/failure-store.ts'
import { signInLimits } from '../../domain/limits/sign-in-limits.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { passwordFault } from '../../domain/users/password-rules.ts'
import { sendPage } from '../../http/page.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { BUSY } from '../threshold/prove.ts'
import { doingOf, type Visit } from '../threshold/visit.ts'
import { choosePasswordPage, linkGonePage, passwordChosenPage } from './choose-password-view.ts'

/** /support/password: where the link leads that `handover staff add` or `reset` printed. Signs nobody in. */
export function choosePasswordRoutes(parts: SupportParts): SupportRoute[] {
  const { db } = parts

  async function choose(visit: Visit): Promise<FastifyReply> {
    const { form, browser, reply, request } = visit
    const secret = form.get('secret') ?? ''
    const known = await findAccountReset(db, STAFF, secret)
    if (known === null) return sendPage(reply, 400, linkGonePage())
    const view = { secret, csrf: browser.csrf, email: known.email, fault: null, error: null }
    const password = form.get('password')
    const fault = passwordFault(password, { email: known.email, username: null })
    if (password === null || fault !== null) return sendPage(reply, 400, choosePasswordPage({ ...view, fault }))
    const passwordHash = await parts.passwords.hash(password)
    if (passwordHash === null) return sendPage(reply, 503, choosePasswordPage({ ...view, error: BUSY }))
    const used = { secret, passwordHash, browser: browser.id }
    const member = await useAccountReset(db, STAFF, used, (tx, who) => {
      const entry = { ...doingOf(who, request), action: 'account.password-reset' as const }
      return appendAudit(tx, { ...entry, teamId: null, applicationId: null, before: null, after: null })
    })
    if (member === null) return sendPage(reply, 400, linkGonePage())
    // Wrong guesses at the old password count no more.
    await forgive(db, [], [signInLimits(member.email, browser.address, STAFF.place).accountAndAddress])
    return sendPage(reply, 200, passwordChosenPage(member.email))
  }

  return [
    {
      method: 'GET',
      path: '/password',
      who: 'anyone',
      answer: async ({ query, reply, browser }) => {
        const secret = query.get('secret') ?? ''
        const known = await findAccountReset(db, STAFF, secret)
        if (known === null) return sendPage(reply, 400, linkGonePage())
        const view = { secret, csrf: browser.csrf, email: known.email, fault: null, error: null }
        return sendPage(reply, 200, choosePasswordPage(view))
      },
    },
    { method: 'POST', path: '/password', who: 'anyone', answer: choose },
  ]
}
