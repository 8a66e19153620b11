import type { FastifyReply } from 'fastify'
import { MOST_APPLICATIONS } from '../../domain/applications/application-limit-store.ts'
import { deletedApplications, restoreApplication } from '../../domain/applications/delete-application-store.ts'
import { applicationsOfTeam } from '../../domain/applications/team-application-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { InTeam } from '../threshold/visit.ts'
import { applicationsContent } from './applications-view.ts'

const PER_PAGE = 25

export const TOO_MANY = `A team has at most ${MOST_APPLICATIONS} applications. Delete one that is no longer used.`

/** /portal/teams/:team/applications, newest first, and what can be restored. A cursor that we did not write counts as none. */
export function applicationsRoutes({ db }: PortalParts): PortalRoute[] {
  async function show(visit: InTeam, status: number, error: string | null): Promise<FastifyReply> {
    const { team, query, browser } = visit
    const before = /^app_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
    const [page, deleted] = await Promise.all([
      applicationsOfTeam(db, team.id, { before, limit: PER_PAGE }),
      deletedApplications(db, team.id),
    ])
    const content = applicationsContent({
      csrf: browser.csrf,
      team,
      done: doneNotice(visit),
      error,
      ...page,
      deleted,
      isFirstPage: before === null,
    })
    return sendFramed(visit, status, { title: 'Applications', place: 'applications', content })
  }

  return [
    {
      method: 'GET',
      path: '/teams/:team/applications',
      who: 'application.see',
      answer: (visit) => show(visit, 200, null),
    },
    {
      method: 'POST',
      path: '/teams/:team/applications/:application/restore',
      who: 'application.delete',
      answer: async (visit) => {
        const { team, doing, request, reply } = visit
        const named = { teamId: team.id, applicationId: parameterOf(request, 'application') }
        const outcome = await restoreApplication(db, named, doing)
        switch (outcome) {
          case 'restored':
            return goDone(reply, `/teams/${team.id}/applications/${named.applicationId}`, 'application-restored')
          case 'too-many':
            return show(visit, 409, TOO_MANY)
          case 'unknown':
            throw notFound()
        }
      },
    },
  ]
}
