import type { FastifyReply } from 'fastify'
import { keysOf, revokeKey } from '../../domain/command-line/command-line-key-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { keysContent, revokeKeyContent } from './keys-view.ts'

/** …/command-line: which computers are logged in for the application, and ending that. */
export function commandLineKeyRoutes(parts: PortalParts): PortalRoute[] {
  const { db, baseUrl } = parts

  async function show(visit: InApplication): Promise<FastifyReply> {
    const { team, application } = visit
    const content = keysContent({
      path: `/portal${applicationPath(visit)}`,
      team,
      done: doneNotice(visit),
      keys: await keysOf(db, application.id),
      baseUrl,
    })
    return sendInApplication(visit, 200, { title: 'Command line', place: 'command-line', content })
  }

  async function askToRevoke(visit: InApplication): Promise<FastifyReply> {
    const keys = await keysOf(db, visit.application.id)
    const key = keys.find(({ id }) => id === parameterOf(visit.request, 'key'))
    if (key === undefined) throw notFound()
    const content = revokeKeyContent({ csrf: visit.browser.csrf, path: `/portal${applicationPath(visit)}`, key })
    return sendInApplication(visit, 200, { title: 'Revoke a login', place: 'command-line', content })
  }

  async function revoke(visit: InApplication): Promise<FastifyReply> {
    const { team, application, request, doing, reply } = visit
    const keyId = parameterOf(request, 'key')
    const outcome = await revokeKey(db, { teamId: team.id, applicationId: application.id, keyId }, doing)
    if (outcome === 'unknown') throw notFound()
    return goDone(reply, `${applicationPath(visit)}/command-line`, 'key-revoked')
  }

  const path = '/teams/:team/applications/:application/command-line'
  return [
    { method: 'GET', path, who: 'application.see', answer: inApplication(parts, show) },
    { method: 'GET', path: `${path}/:key/revoke`, who: 'key.change', answer: inApplication(parts, askToRevoke) },
    { method: 'POST', path: `${path}/:key/revoke`, who: 'key.change', answer: inApplication(parts, revoke) },
  ]
}
