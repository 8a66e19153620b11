import type { FastifyReply } from 'fastify'
import { secretsOf } from '../../domain/applications/client-secret-store.ts'
import { sandboxOf } from '../../domain/sandboxes/sandbox-store.ts'
import { doneNotice } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { overviewContent } from './overview-view.ts'

/** /portal/teams/:team/applications/:application: everything to build with, and what is on. */
export function overviewRoutes(parts: PortalParts): PortalRoute[] {
  const { db, authUrl, baseUrl, audiences } = parts

  async function show(visit: InApplication): Promise<FastifyReply> {
    const { team, application, browser } = visit
    const [secrets, sandbox] = await Promise.all([secretsOf(db, application.id), sandboxOf(db, application.id)])
    const content = overviewContent({
      csrf: browser.csrf,
      path: `/portal${applicationPath(visit)}`,
      team,
      application,
      done: doneNotice(visit),
      secrets,
      sandbox,
      authUrl,
      baseUrl,
      audiences,
    })
    return sendInApplication(visit, 200, { title: 'Overview', place: 'overview', content })
  }

  return [
    {
      method: 'GET',
      path: '/teams/:team/applications/:application',
      who: 'application.see',
      answer: inApplication(parts, show),
    },
  ]
}
