import type { FastifyReply } from 'fastify'
import type { Application } from '../../domain/applications/application.ts'
import { findTeamApplication } from '../../domain/applications/team-application-store.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { type ApplicationPlace, applicationPage } from '../../ui/application-layout.ts'
import type { Content } from '../../ui/html.ts'
import { sendFramed } from './frame.ts'
import type { PortalParts } from './parts.ts'
import type { InTeam } from './visit.ts'

/** At a page of one of the team's applications. */
export type InApplication = InTeam & { application: Application }

/** At a page of what the application has in one environment. */
export type InEnvironment = InApplication & { environment: Environment }

/** For a page whose path names `:application`. */
export function inApplication({ db }: PortalParts, answer: (visit: InApplication) => Promise<FastifyReply>) {
  return async (visit: InTeam): Promise<FastifyReply> => {
    const application = await findTeamApplication(db, visit.team.id, parameterOf(visit.request, 'application'))
    if (application === null) throw notFound()
    return answer({ ...visit, application })
  }
}

/** For a page whose path names `:application` and `:environment`. */
export function inEnvironment(parts: PortalParts, answer: (visit: InEnvironment) => Promise<FastifyReply>) {
  return inApplication(parts, async (visit) => {
    const named = parameterOf(visit.request, 'environment')
    const environment = ENVIRONMENTS.find((each) => each === named)
    if (environment === undefined || !visit.application.environments.includes(environment)) throw notFound()
    return answer({ ...visit, environment })
  })
}

export function applicationPath({ team, application }: Pick<InApplication, 'team' | 'application'>): string {
  return `/teams/${team.id}/applications/${application.id}`
}

/** Answers with a page inside the application's frame; `within` is the page's own path behind the environment. */
export function sendInApplication(
  visit: InApplication & { environment?: Environment },
  status: number,
  page: { title: string; place: ApplicationPlace; content: Content; within?: string },
): FastifyReply {
  const { application, environment = null } = visit
  const frame = {
    path: `/portal${applicationPath(visit)}`,
    application,
    place: page.place,
    environment,
    environments: application.environments,
    ...(page.within !== undefined && { within: page.within }),
  }
  return sendFramed(visit, status, {
    title: `${page.title} · ${application.name}`,
    place: 'applications',
    content: applicationPage(frame, page.content),
  })
}
