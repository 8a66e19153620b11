import type { FastifyReply } from 'fastify'
import { readUserCode, shownCode } from '../../domain/command-line/command-line-login.ts'
import { may } from '../../domain/teams/team.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { goTo, type SignedIn } from '../threshold/visit.ts'
import { noTeamContent } from './allow-view.ts'

/** /portal/command-line: where `handover login` sends a browser, whose team it does not know. On to one that may allow it. */
export function commandLineRoutes(): PortalRoute[] {
  return [{ method: 'GET', path: '/command-line', who: 'signed-in', answer: lead }]
}

async function lead(visit: SignedIn): Promise<FastifyReply> {
  const { teams, session, query, reply } = visit
  const able = teams.filter(({ role }) => may(role, 'key.change'))
  const team = able.find(({ id }) => id === session.teamId) ?? able[0]
  if (team === undefined)
    return sendFramed(visit, 200, { title: 'Command line', place: null, content: noTeamContent() })
  const code = readUserCode(query.get('code') ?? '')
  return goTo(reply, `/teams/${team.id}/command-line${code === null ? '' : `?code=${shownCode(code)}`}`)
}
