import { TEAM_ACTIONS } from '../../domain/audit/audit.ts'
import { auditOfTeam } from '../../domain/audit/audit-store.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { auditContent } from './audit-view.ts'

const PER_PAGE = 50

/** /portal/teams/:team/audit, newest first; a filter or cursor that we did not write counts as none. */
export function auditRoutes({ db }: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/teams/:team/audit',
      who: 'audit.see',
      answer: async (visit) => {
        const { team, query } = visit
        const action = TEAM_ACTIONS.find((known) => known === query.get('action')) ?? null
        const before = readCursor(query)
        const { rows, older } = await auditOfTeam(db, team.id, { action, before, limit: PER_PAGE })
        const content = auditContent({ team, rows, action, older, isFirstPage: before === null })
        return sendFramed(visit, 200, { title: 'Audit log', place: 'audit', content })
      },
    },
  ]
}

/** One that we did not write counts as none. */
export function readCursor(query: URLSearchParams): string | null {
  return /^aud_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
}
