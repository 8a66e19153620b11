import { registeredUrisOfTeam } from '../../domain/applications/registered-uris-store.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { refusalGroups, requestsOfTeam, requestsWithId } from '../../domain/requests/request-log-store.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { type Asked, requestsContent } from './requests-view.ts'

const PER_PAGE = 50

/**
 * /portal/teams/:team/requests: why requests of the team's applications were refused, where everybody else is told only a code
 * and a request id (decision B8). A filter or cursor that we did not write counts as none.
 */
export function requestRoutes({ db }: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/teams/:team/requests',
      who: 'request.see',
      answer: async (visit) => {
        const { team, query } = visit
        const applications = await registeredUrisOfTeam(db, team.id)
        const asked = readAsked(query, new Set(applications.map(({ id }) => id)))
        const [page, refused] = await Promise.all([
          asked.requestId === ''
            ? requestsOfTeam(db, team.id, asked, { before: asked.before, limit: PER_PAGE })
            : { rows: await requestsWithId(db, asked.requestId, team.id), older: null },
          refusalGroups(db, team.id, asked),
        ])
        const content = requestsContent({ team, applications, asked, ...page, ...refused })
        return sendFramed(visit, 200, { title: 'Requests', place: 'requests', content })
      },
    },
  ]
}

function readAsked(query: URLSearchParams, applicationIds: ReadonlySet<string>): Asked {
  const application = query.get('application') ?? ''
  return {
    applicationId: applicationIds.has(application) ? application : null,
    environment: ENVIRONMENTS.find((each) => each === query.get('environment')) ?? null,
    refusedOnly: query.get('show') === 'refused',
    cause: /^[0-9a-f]{16}$/.exec(query.get('cause') ?? '')?.[0] ?? null,
    // Longer than any id, and PostgreSQL takes no NUL.
    requestId: (query.get('request') ?? '').trim().slice(0, 200),
    before: /^rql_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null,
  }
}
