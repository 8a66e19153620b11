import type { FastifyReply } from 'fastify'
import { API_SCOPES } from '../../domain/applications/application.ts'
import { holdTeamApplication } from '../../domain/applications/team-application-store.ts'
import { appendAudit } from '../../domain/audit/audit-store.ts'
import { renewTestPerson } from '../../domain/sandboxes/sandbox-store.ts'
import { notFound, Problem } from '../../http/problem.ts'
import { transaction } from '../../platform/transaction.ts'
import { html } from '../../ui/html.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { applicationPath, type InApplication, inApplication, sendInApplication } from '../threshold/in-application.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { shownOnce } from './shown-once.ts'
import { newTestPassword } from './test-password.ts'

/** …/test-person: somebody changed the password, lost it, or turned on a second factor, and it begins anew. */
export function testPersonRoutes(parts: PortalParts): PortalRoute[] {
  const { db, audiences } = parts

  async function renew(visit: InApplication): Promise<FastifyReply> {
    const { team, application, doing } = visit
    const made = await newTestPassword(parts, visit)
    if (made.outcome === 'refused') throw new Problem(made.status, 'busy', 'One moment', made.message)
    const { password, passwordHash } = made
    const consent = { audience: audiences.sandbox, scope: [...API_SCOPES] }
    const named = { teamId: team.id, applicationId: application.id }
    const person = await transaction(db, async (tx) => {
      if ((await holdTeamApplication(tx, named, doing, 'secret.change')) === null) return null
      const renewed = await renewTestPerson(tx, application.id, passwordHash, consent)
      if (renewed === null) return null
      await appendAudit(tx, {
        actor: doing.actor,
        action: 'sandbox.renewed',
        ...named,
        before: null,
        after: { application: application.name, email: renewed.email },
        requestId: doing.requestId,
      })
      return renewed
    })
    if (person === null) throw notFound()
    const content = html`${shownOnce([
      ['Test person', person.email],
      ['Their new password', password],
    ])}
<p class="actions"><a class="button" href="/portal${applicationPath(visit)}">I have kept them</a></p>`
    return sendInApplication(visit, 200, { title: 'Test person', place: 'overview', content })
  }

  return [
    {
      method: 'POST',
      path: '/teams/:team/applications/:application/test-person',
      who: 'secret.change',
      answer: inApplication(parts, renew),
    },
  ]
}
