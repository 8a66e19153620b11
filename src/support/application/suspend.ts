import type { FastifyReply } from 'fastify'
import { setBySupport } from '../../domain/support-requests/set-by-support-store.ts'
import { readReason } from '../../domain/support-requests/support-request.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { showApplication } from './application.ts'
import { type AtApplication, atApplication } from './in-application.ts'

/** Stopping an application stops somebody's business, so whoever does it shows again that it is them. */
export function suspendRoutes(parts: SupportParts): SupportRoute[] {
  async function suspend(visit: AtApplication, suspended: boolean): Promise<FastifyReply> {
    const { application, form, reply, doing } = visit
    const typed = form.get('reason')
    const { text: reason, fault } = readReason(typed, 'Say why; the team reads it.')
    if (fault !== null) return showApplication(parts, visit, 400, { reason: typed ?? '', fault })
    const change = { applicationId: application.id, setting: 'suspension' as const, wanted: { suspended }, reason }
    const done = await setBySupport(parts.db, change, doing)
    if (done.outcome === 'no-application') throw notFound()
    return goDone(reply, `/applications/${application.id}`, suspended ? 'suspended' : 'unsuspended')
  }

  return [
    {
      method: 'POST',
      path: '/applications/:application/suspend',
      who: 'staff-sensitive',
      answer: atApplication(parts, (visit) => suspend(visit, true)),
    },
    {
      method: 'POST',
      path: '/applications/:application/unsuspend',
      who: 'staff-sensitive',
      answer: atApplication(parts, (visit) => suspend(visit, false)),
    },
  ]
}
