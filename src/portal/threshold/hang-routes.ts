import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { may, type TeamAction } from '../../domain/teams/team.ts'
import { teamsOf } from '../../domain/teams/team-store.ts'
import { readBrowserWith, requireOwnForm } from '../../http/browser.ts'
import type { Form } from '../../http/form.ts'
import { postedForm } from '../../http/posted-form.ts'
import { notFound, Problem } from '../../http/problem.ts'
import { queryOf } from '../../http/query.ts'
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
        const visit = await readVisit(parts, request, reply)
        if (route.who === 'anyone') return route.answer(visit)
        const signedIn = await withAccount(parts, visit)
        if (signedIn === null) return goTo(reply, '/sign-in')
        if (route.who === 'signed-in') return route.answer(signedIn)
        return route.answer(insideTeam(signedIn, route.who))
      },
    })
  }
}

/** A form is taken only from our own page in the same browser and session, whoever sends it. */
async function readVisit(parts: PortalParts, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
  const browser = await readBrowserWith(INTEGRATORS, parts.browsers, request, reply)
  const form = request.method === 'POST' ? postedForm(request) : EMPTY
  if (request.method === 'POST') requireOwnForm(parts.browsers, browser, request, form)
  return { request, reply, browser, form, query: new URLSearchParams(queryOf(request)) }
}

const EMPTY: Form = { get: () => null, has: () => false, names: () => [] }

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
    'Only an owner of the team may do this. Ask one of them, or ask them to change your role.',
  )
}

export function parameterOf({ params }: FastifyRequest, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
  return typeof value === 'string' ? value : ''
}
