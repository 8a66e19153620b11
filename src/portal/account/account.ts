import type { FastifyReply } from 'fastify'
import { auditOfAccount } from '../../domain/audit/audit-store.ts'
import {
  endIntegratorSession,
  endOtherIntegratorSessions,
  listIntegratorSessions,
} from '../../domain/integrators/integrator-session-store.ts'
import { readName } from '../../domain/integrators/integrator-sign-up.ts'
import { renameIntegrator } from '../../domain/integrators/integrator-store.ts'
import { findIntegratorTotp } from '../../domain/integrators/integrator-totp-store.ts'
import { countPasskeys } from '../../domain/integrators/passkey-store.ts'
import { transaction } from '../../platform/transaction.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { SignedIn } from '../threshold/visit.ts'
import { accountContent } from './account-view.ts'
import { noteOwnChange } from './own-change.ts'

/** As many changes as one looks over at a glance; the rest is at /portal/account/log. */
const LOG_ROWS = 10

/** /portal/account: the integrator's own name and sessions. */
export function accountRoutes({ db }: PortalParts): PortalRoute[] {
  async function show(
    visit: SignedIn,
    status: number,
    typedName: string,
    nameFault: string | null,
  ): Promise<FastifyReply> {
    const { me, session, teams, browser } = visit
    const [totp, passkeys, sessions, log] = await Promise.all([
      findIntegratorTotp(db, me.id),
      countPasskeys(db, me.id),
      listIntegratorSessions(db, me.id),
      auditOfAccount(db, me.id, { before: null, limit: LOG_ROWS }),
    ])
    const content = accountContent({
      csrf: browser.csrf,
      done: doneNotice(visit),
      me,
      teams,
      totp,
      passkeys,
      log,
      sessions: sessions.map((each) => ({ ...each, isThisOne: each.sid === session.sid })),
      typedName,
      nameFault,
    })
    return sendFramed(visit, status, { title: 'Your account', place: 'account', content })
  }

  return [
    { method: 'GET', path: '/account', who: 'signed-in', answer: (visit) => show(visit, 200, visit.me.name, null) },
    {
      method: 'POST',
      path: '/account/name',
      who: 'signed-in',
      answer: async (visit) => {
        const typed = visit.form.get('name')
        const { name, fault } = readName(typed)
        if (fault !== null) return show(visit, 400, typed ?? '', fault)
        await transaction(db, async (tx) => {
          const before = await renameIntegrator(tx, visit.me.id, name)
          if (before === null || before === name) return
          await noteOwnChange(tx, visit, 'account.renamed', { name: before }, { name })
        })
        return goDone(visit.reply, '/account', 'name')
      },
    },
    {
      method: 'POST',
      path: '/account/sessions/end',
      who: 'signed-in',
      answer: async (visit) => {
        const sid = visit.form.get('session') ?? ''
        await transaction(db, async (tx) => {
          const ended = await endIntegratorSession(tx, visit.me.id, sid)
          if (ended) await noteOwnChange(tx, visit, 'account.session-ended', { session: sid }, null)
        })
        return goDone(visit.reply, '/account', 'session')
      },
    },
    {
      method: 'POST',
      path: '/account/sessions/end-others',
      who: 'signed-in',
      answer: async (visit) => {
        await transaction(db, async (tx) => {
          const ended = await endOtherIntegratorSessions(tx, visit.me.id, visit.session.sid)
          if (ended > 0) await noteOwnChange(tx, visit, 'account.other-sessions-ended', { sessions: ended }, null)
        })
        return goDone(visit.reply, '/account', 'sessions')
      },
    },
  ]
}
