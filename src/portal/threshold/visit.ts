import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Doing } from '../../domain/audit/audit.ts'
import type { Integrator, IntegratorSession } from '../../domain/integrators/integrator.ts'
import { findIntegratorSession } from '../../domain/integrators/integrator-session-store.ts'
import type { Membership } from '../../domain/teams/team.ts'
import type { BrowserWith, SessionKind } from '../../http/browser.ts'
import type { VisitWith } from '../../http/visit.ts'

/** Integrators have a cookie of their own, beside the one of people (decision E1). */
export const INTEGRATORS: SessionKind<IntegratorSession> = { cookie: 'handover-portal', find: findIntegratorSession }

export type PortalBrowser = BrowserWith<IntegratorSession>

export type Visit = VisitWith<IntegratorSession>

/** What they do, they do as `me`, and to nobody's account that a form could name. */
export type SignedIn = Visit & { session: IntegratorSession; me: Integrator; teams: Membership[]; doing: Doing }

/** Inside a team that they are a member of, with a role that may do what the page is for. */
export type InTeam = SignedIn & { team: Membership }

export function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.code(303).header('location', `/portal${path}`).send()
}

export function doingOf(integrator: Integrator, request: FastifyRequest): Doing {
  return { actor: { kind: 'integrator', id: integrator.id, name: integrator.email }, requestId: request.id }
}
