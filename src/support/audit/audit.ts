import { searchAudit } from '../../domain/audit/audit-store.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { auditContent } from './audit-view.ts'
import { readFilter } from './filter.ts'

const PER_PAGE = 50

/** /support/audit: the log of everybody, newest first; a cursor that we did not write counts as none. */
export function auditRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/audit',
      who: 'staff',
      answer: async (visit) => {
        const { query, browser } = visit
        const { typed, filter, faults } = readFilter((name) => query.get(name))
        const before = /^aud_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
        const isFaulty = Object.keys(faults).length > 0
        const page = isFaulty ? { rows: [], older: null } : await searchAudit(db, filter, { before, limit: PER_PAGE })
        const content = auditContent({
          csrf: browser.csrf,
          ...page,
          typed,
          faults,
          isFirstPage: before === null,
        })
        return sendFramed(visit, isFaulty ? 400 : 200, { title: 'Audit log', place: 'audit', content })
      },
    },
  ]
}
