import { Readable } from 'node:stream'
import { appendAudit } from '../../domain/audit/audit-store.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { goTo } from '../threshold/visit.ts'
import { exportLines } from './export-lines.ts'
import { filterQuery, readFilter } from './filter.ts'

/** What was asked for is written down before anything is sent. */
export function exportRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'POST',
      path: '/audit/export',
      who: 'staff',
      answer: async ({ form, reply, doing }) => {
        const { typed, filter, faults } = readFilter(form.get)
        if (Object.keys(faults).length > 0) return goTo(reply, `/audit?${filterQuery(typed)}`)
        const asked = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''))
        const entry = { ...doing, action: 'log.exported' as const, teamId: null, applicationId: null }
        await appendAudit(db, { ...entry, before: null, after: asked })
        return reply
          .header('content-disposition', 'attachment; filename="handover-audit.csv"')
          .type('text/csv; charset=utf-8')
          .send(Readable.from(exportLines(db, filter)))
      },
    },
  ]
}
