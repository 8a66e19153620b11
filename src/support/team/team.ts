import { applicationsOfTeam } from '../../domain/applications/team-application-store.ts'
import { EVERYTHING, searchAudit } from '../../domain/audit/audit-store.ts'
import { findTeam, membersOf } from '../../domain/teams/team-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { teamContent } from './team-view.ts'

const LATEST = 10
const PER_PAGE = 50

/** /support/teams/:team: who is in it, its applications, and what was changed last. */
export function teamRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/teams/:team',
      who: 'staff',
      answer: async (visit) => {
        const team = await findTeam(db, parameterOf(visit.request, 'team'))
        if (team === null) throw notFound()
        const before = /^app_[0-9a-f]{32}$/.exec(visit.query.get('before') ?? '')?.[0] ?? null
        const [members, listed, latest] = await Promise.all([
          membersOf(db, team.id),
          applicationsOfTeam(db, team.id, { before, limit: PER_PAGE }),
          searchAudit(db, { ...EVERYTHING, teamId: team.id }, { before: null, limit: LATEST }),
        ])
        const content = teamContent({ team, members, ...listed, latest, isFirstPage: before === null })
        return sendFramed(visit, 200, { title: team.name, place: null, content })
      },
    },
  ]
}
