import type { FastifyInstance, FastifyReply } from 'fastify'
import { may, type TeamAction } from '../../domain/teams/team.ts'
import { teamsOf } from '../../domain/teams/team-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound, Problem } from '../../http/problem.ts'
import { readVisitWith } from '../../http/visit.ts'
import { signInPath } from './next-page.ts'
import type { PortalParts } from './parts.ts'
import { doingOf, goTo, INTEGRATORS, type InTeam, type SignedIn, type Visit } from './visit.ts'

type Method = 'GET' | 'POST'
type Answer<SomeVisit> = (visit: SomeVisit) => Promise<FastifyReply>

/**
 * One page or form: its address, who may, and what answers. There is no other way to hang one, so none can lack its rule, and
 * what needs a role has the team in its address.
 */
export type PortalRoute =
  | { method: Method; path: string; who: 'anyone'; answer: Answer<Visit> }
  | { method: Method; path: string; who: 'signed-in'; answer: Answer<SignedIn> }
  | { method: Method; path: `/teams/:team${string}`; who: TeamAction; answer: Answer<InTeam> }

export function hangRoutes(app: FastifyInstance, parts: PortalParts, routes: readonly PortalRoute[]): void {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        const visit = await readVisitWith(INTEGRATORS, parts.browsers, request, reply)
        if (route.who === 'anyone') return route.answer(visit)
        const signedIn = await withAccount(parts, visit)
        if (signedIn === null) return goTo(reply, signInPath(parts, visit))
        if (route.who === 'signed-in') return route.answer(signedIn)
        return route.answer(insideTeam(signedIn, route.who))
      },
    })
  }
}

async function withAccount({ db }: PortalParts, visit: Visit): Promise<SignedIn | null> {
  const { session } = visit.browser
  if (session === null) return null
  const teams = await teamsOf(db, session.integrator.id)
  return { ...visit, session, me: session.integrator, teams, doing: doingOf(session.integrator, visit.request) }
}

/** For whoever is not a member the team does not exist. */
function insideTeam(visit: SignedIn, action: TeamAction): InTeam {
  const team = visit.teams.find(({ id }) => id === parameterOf(visit.request, 'team'))
  if (team === undefined) throw notFound()
  if (!may(team.role, action)) throw notAllowed()
  return { ...visit, team }
}

export function notAllowed(): Problem {
  return new Problem(
    403,
    'not_allowed',
    'Your role does not allow this',
    'Your role in this team does not allow it. Ask an owner to do it, or to change your role.',
  )
}
