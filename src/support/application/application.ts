import type { FastifyReply } from 'fastify'
import { findApplicationFacts } from '../../domain/applications/application-facts-store.ts'
import { secretsOf } from '../../domain/applications/client-secret-store.ts'
import { EVERYTHING, searchAudit } from '../../domain/audit/audit-store.ts'
import { countRequests } from '../../domain/requests/request-count-store.ts'
import { openRequestsOf } from '../../domain/support-requests/request-list-store.ts'
import { membersOf } from '../../domain/teams/team-store.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import { applicationContent, type SuspendTyped } from './application-view.ts'
import { type AtApplication, atApplication } from './in-application.ts'

const LATEST = 10

/** /support/applications/:application: everything that support needs to know of it, and never a secret. */
export function applicationRoutes(parts: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/applications/:application',
      who: 'staff',
      answer: atApplication(parts, (visit) => showApplication(parts, visit, 200)),
    },
  ]
}

export async function showApplication(
  { db }: SupportParts,
  visit: AtApplication,
  status: number,
  suspending: SuspendTyped = { reason: '', fault: null },
): Promise<FastifyReply> {
  const { application, browser } = visit
  const { id } = application
  const [facts, secrets, open, latest, counts] = await Promise.all([
    findApplicationFacts(db, id),
    secretsOf(db, id),
    openRequestsOf(db, id),
    searchAudit(db, { ...EVERYTHING, applicationId: id }, { before: null, limit: LATEST }),
    countRequests(db, [id]),
  ])
  if (facts === null) throw notFound()
  const content = applicationContent({
    csrf: browser.csrf,
    done: doneNotice(visit),
    application,
    facts,
    members: facts.team === null ? [] : await membersOf(db, facts.team.id),
    secrets,
    open,
    latest,
    lastWeek: counts.get(id) ?? { all: 0, refused: 0 },
    suspending,
  })
  return sendFramed(visit, status, { title: application.name, place: null, content })
}
