import {
  endAccountSession,
  endOtherAccountSessions,
  listAccountSessions,
} from '../../domain/credentials/account-session-store.ts'
import { findAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { transaction } from '../../platform/transaction.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { accountContent } from './account-view.ts'
import { noteOwnChange } from './own-change.ts'

/** /support/account: one's own sign-in and sessions. Name and address are the command's to set. */
export function accountRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/account',
      who: 'staff',
      answer: async (visit) => {
        const { me, session, browser } = visit
        const [totp, sessions] = await Promise.all([
          findAccountTotp(db, STAFF, me.id),
          listAccountSessions(db, STAFF, me.id),
        ])
        const content = accountContent({
          csrf: browser.csrf,
          done: doneNotice(visit),
          me,
          totp,
          sessions: sessions.map((each) => ({ ...each, isThisOne: each.sid === session.sid })),
        })
        return sendFramed(visit, 200, { title: 'Your account', place: 'account', content })
      },
    },
    {
      method: 'POST',
      path: '/account/sessions/end',
      who: 'staff',
      answer: async (visit) => {
        const sid = visit.form.get('session') ?? ''
        await transaction(db, async (tx) => {
          const ended = await endAccountSession(tx, STAFF, visit.me.id, sid)
          if (ended) await noteOwnChange(tx, visit, 'account.session-ended', { session: sid }, null)
        })
        return goDone(visit.reply, '/account', 'session')
      },
    },
    {
      method: 'POST',
      path: '/account/sessions/end-others',
      who: 'staff',
      answer: async (visit) => {
        await transaction(db, async (tx) => {
          const ended = await endOtherAccountSessions(tx, STAFF, visit.me.id, visit.session.sid)
          if (ended > 0) await noteOwnChange(tx, visit, 'account.other-sessions-ended', { sessions: ended }, null)
        })
        return goDone(visit.reply, '/account', 'sessions')
      },
    },
  ]
}
