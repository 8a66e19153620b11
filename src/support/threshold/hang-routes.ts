import type { FastifyInstance, FastifyReply } from 'fastify'
import { readVisitWith } from '../../http/visit.ts'
import { isConfirmed } from './confirm.ts'
import type { SupportParts } from './parts.ts'
import { type AtDesk, doingOf, goTo, STAFF_SESSIONS, type Visit } from './visit.ts'

type Method = 'GET' | 'POST'
type Answer<SomeVisit> = (visit: SomeVisit) => Promise<FastifyReply>

/**
 * One page or form: its address, who may, and what answers. There is no other way to hang one, so none can lack its rule.
 * `signed-in` is for what leads to a second factor, and for leaving; `staff` has given one; `staff-sensitive` has shown within
 * the last ten minutes that it is them. Only what changes or reveals something is sensitive, so it is a form.
 */
export type SupportRoute =
  | { method: Method; path: string; who: 'anyone'; answer: Answer<Visit> }
  | { method: Method; path: string; who: 'signed-in' | 'staff'; answer: Answer<AtDesk> }
  | { method: 'POST'; path: string; who: 'staff-sensitive'; answer: Answer<AtDesk> }

export function hangRoutes(app: FastifyInstance, parts: SupportParts, routes: readonly SupportRoute[]): void {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        const visit = await readVisitWith(STAFF_SESSIONS, parts.browsers, request, reply)
        if (route.who === 'anyone') return route.answer(visit)
        const atDesk = withAccount(visit)
        if (atDesk === null) return goTo(reply, '/sign-in')
        if (route.who === 'signed-in') return route.answer(atDesk)
        if (parts.secondFactorRequired && !atDesk.session.secondFactor) return goTo(reply, '/account/two-factor/set-up')
        if (route.who === 'staff') return route.answer(atDesk)
        return (await isConfirmed(parts, atDesk)) ? route.answer(atDesk) : reply
      },
    })
  }
}

function withAccount(visit: Visit): AtDesk | null {
  const { session } = visit.browser
  if (session === null) return null
  return { ...visit, session, me: session.member, doing: doingOf(session.member, visit.request) }
}
