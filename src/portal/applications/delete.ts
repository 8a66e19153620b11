import type { FastifyReply } from 'fastify'
import { deleteApplication } from '../../domain/applications/delete-application-store.ts'
import { tidy } from '../../domain/plain-text.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { deleteContent } from './delete-view.ts'

/** …/delete: by typing the name, so that nobody does it by a slip. */
export function deleteRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function remove(visit: InApplication): Promise<FastifyReply> {
    const { team, application, form, doing, reply } = visit
    const typed = form.get('name') ?? ''
    if (tidy(typed) !== application.name)
      return show(visit, 400, typed, 'That is not its name. Type it exactly as it stands above.')
    const outcome = await deleteApplication(db, { teamId: team.id, applicationId: application.id }, doing)
    if (outcome === 'unknown') throw notFound()
    return goDone(reply, `/teams/${team.id}/applications`, 'application-deleted')
  }

  const path = '/teams/:team/applications/:application/delete'
  return [
    {
      method: 'GET',
      path,
      who: 'application.delete',
      answer: inApplication(parts, async (visit) => show(visit, 200, '', null)),
    },
    { method: 'POST', path, who: 'application.delete', answer: inApplication(parts, remove) },
  ]
}

function show(visit: InApplication, status: number, typed: string, fault: string | null): FastifyReply {
  const { application, browser } = visit
  const path = `/portal${applicationPath(visit)}`
  const content = deleteContent({ csrf: browser.csrf, path, application, typed, fault })
  return sendInApplication(visit, status, { title: 'Delete', place: 'settings', content })
}
