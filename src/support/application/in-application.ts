import type { FastifyReply } from 'fastify'
import type { Application } from '../../domain/applications/application.ts'
import { findApplication } from '../../domain/applications/application-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'

/** At a page of one application, whosever it is. */
export type AtApplication = AtDesk & { application: Application }

/** For a page whose path names `:application`. One that is deleted is its team's to restore. */
export function atApplication({ db }: SupportParts, answer: (visit: AtApplication) => Promise<FastifyReply>) {
  return async (visit: AtDesk): Promise<FastifyReply> => {
    const application = await findApplication(db, parameterOf(visit.request, 'application'))
    if (application === null) throw notFound()
    return answer({ ...visit, application })
  }
}
