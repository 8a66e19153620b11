import type { FastifyReply } from 'fastify'
import { noteOpenedTeam } from '../../domain/integrators/integrator-session-store.ts'
import { invitationsOf } from '../../domain/teams/invitation-store.ts'
import { membersOf } from '../../domain/teams/team-store.ts'
import { doneNotice } from '../threshold/done.ts'
import { sendFramed, teamToShow } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { goTo, type InTeam } from '../threshold/visit.ts'
import { type InviteFaults, type InviteTyped, teamContent } from './team-view.ts'

/** /portal leads to the team that was opened last; /portal/teams/:team is its page. */
export function teamRoutes(parts: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '',
      who: 'signed-in',
      answer: async (visit) => {
        const team = teamToShow(visit)
        return goTo(visit.reply, team === null ? '/teams/new' : `/teams/${team.id}`)
      },
    },
    {
      method: 'GET',
      path: '/teams/:team',
      who: 'team.see',
      answer: async (visit) => {
        const { session, team } = visit
        if (session.teamId !== team.id) await noteOpenedTeam(parts.db, session.sid, team.id)
        return showTeam(parts, visit, 200)
      },
    },
  ]
}

export async function showTeam(
  { db, mailer, mailboxUrl, authUrl, baseUrl }: PortalParts,
  visit: InTeam,
  status: number,
  typed: InviteTyped = { email: '', role: 'developer' },
  faults: InviteFaults = {},
): Promise<FastifyReply> {
  const { team, me, browser } = visit
  const [members, invitations] = await Promise.all([membersOf(db, team.id), invitationsOf(db, team.id)])
  const content = teamContent({
    csrf: browser.csrf,
    team,
    myId: me.id,
    members,
    invitations,
    done: doneNotice(visit),
    typed,
    faults,
    mail: mailer !== null,
    mailboxUrl,
    authUrl,
    baseUrl,
  })
  return sendFramed(visit, status, { title: team.name, place: 'team', content })
}
