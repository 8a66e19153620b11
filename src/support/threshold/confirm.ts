import type { FastifyReply } from 'fastify'
import { findAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { STAFF } from '../../domain/staff/staff.ts'
import { refreshStaffSession } from '../../domain/staff/staff-session-store.ts'
import type { ProofFaults } from '../../ui/two-factor.ts'
import { CONFIRM_CODE, CONFIRM_PASSWORD, confirmContent } from './confirm-view.ts'
import { sendFramed } from './frame.ts'
import type { SupportParts } from './parts.ts'
import { prove } from './prove.ts'
import type { AtDesk } from './visit.ts'

/**
 * Before something sensitive: true when they showed a moment ago that it is them, or show it now. When false, the answer has
 * been given: it asks for it, at the same address, and carries along what was typed, so that nothing has to be typed again.
 * A word and not the reply, because a reply that is awaited is gone: it resolves to nothing once it is sent.
 */
export async function isConfirmed(parts: SupportParts, visit: AtDesk): Promise<boolean> {
  const { form, session } = visit
  if (session.fresh) return true
  const password = form.get(CONFIRM_PASSWORD)
  const refused =
    password === null
      ? { status: 200, faults: {} }
      : await prove(parts, visit, { password, code: form.get(CONFIRM_CODE) ?? '' })
  if (refused === null) {
    await refreshStaffSession(parts.db, session.sid)
    return true
  }
  await show(parts, visit, refused.status, refused.faults)
  return false
}

async function show({ db }: SupportParts, visit: AtDesk, status: number, faults: ProofFaults): Promise<FastifyReply> {
  const { browser, me, form, request } = visit
  const withCode = (await findAccountTotp(db, STAFF, me.id)) !== null
  const content = confirmContent({ action: request.url, csrf: browser.csrf, email: me.email, form, withCode, faults })
  return sendFramed(visit, status, { title: 'Confirm that it is you', place: null, content })
}
