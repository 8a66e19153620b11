import { auditAbout } from '../../domain/audit/audit-about-store.ts'
import type { Integrator } from '../../domain/integrators/integrator.ts'
import { listIntegratorSessions } from '../../domain/integrators/integrator-session-store.ts'
import { findIntegrator, integratorSince } from '../../domain/integrators/integrator-store.ts'
import { findIntegratorTotp } from '../../domain/integrators/integrator-totp-store.ts'
import { countPasskeys } from '../../domain/integrators/passkey-store.ts'
import { readFailures } from '../../domain/limits/lock-store.ts'
import { throttledIntegrator } from '../../domain/support-acts/integrator-acts.ts'
import { teamsOf } from '../../domain/teams/team-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import type { Db } from '../../platform/db.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { integratorContent } from './integrator-view.ts'

const LATEST = 20

/** /support/integrators/:integrator: somebody who uses the portal, and the teams that they are in. */
export function integratorRoutes({ db }: SupportParts): SupportRoute[] {
  return [
    {
      method: 'GET',
      path: '/integrators/:integrator',
      who: 'staff',
      answer: async (visit) => {
        const integrator = await requireIntegrator(db, visit)
        const { id, name } = integrator
        const [since, teams, totp, passkeys, sessions, failures, acts] = await Promise.all([
          integratorSince(db, id),
          teamsOf(db, id),
          findIntegratorTotp(db, id),
          countPasskeys(db, id),
          listIntegratorSessions(db, id),
          readFailures(db, throttledIntegrator(integrator)),
          auditAbout(db, id, LATEST),
        ])
        if (since === null) throw notFound()
        const done = doneNotice(visit)
        const content = integratorContent({ done, integrator, since, teams, totp, passkeys, sessions, failures, acts })
        return sendFramed(visit, 200, { title: name, place: null, content })
      },
    },
  ]
}

export async function requireIntegrator(db: Db, { request }: AtDesk): Promise<Integrator> {
  const found = await findIntegrator(db, parameterOf(request, 'integrator'))
  if (found === null) throw notFound()
  return found
}
