import type { FastifyReply } from 'fastify'
import { changeRole, type MemberChange, type MemberOutcome, removeMember } from '../../domain/teams/member-store.ts'
import { readRole } from '../../domain/teams/team.ts'
import { membersOf } from '../../domain/teams/team-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { type Done, goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import { notAllowed, type PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { InTeam } from '../threshold/visit.ts'
import { type MemberView, memberContent } from './member-view.ts'

export const LAST_OWNER = 'A team needs an owner. Make somebody else an owner first.'

/** /portal/teams/:team/members/:member: another role, or no longer a member. */
export function memberRoutes({ db }: PortalParts): PortalRoute[] {
  async function show(visit: InTeam, status: number, faults: MemberView['faults']): Promise<FastifyReply> {
    const { team, me, browser, request } = visit
    const memberId = parameterOf(request, 'member')
    const member = (await membersOf(db, team.id)).find(({ id }) => id === memberId)
    if (member === undefined) throw notFound()
    const content = memberContent({ csrf: browser.csrf, team, member, isMe: member.id === me.id, faults })
    return sendFramed(visit, status, { title: member.name, place: 'team', content })
  }

  async function settle(visit: InTeam, outcome: MemberOutcome, done: Done): Promise<FastifyReply> {
    switch (outcome) {
      case 'done':
        return goDone(visit.reply, `/teams/${visit.team.id}`, done)
      case 'last-owner':
        return show(visit, 409, done === 'role' ? { role: LAST_OWNER } : { page: LAST_OWNER })
      case 'unknown':
        throw notFound()
      case 'not-allowed':
        throw notAllowed()
    }
  }

  return [
    {
      method: 'GET',
      path: '/teams/:team/members/:member',
      who: 'member.change',
      answer: (visit) => show(visit, 200, {}),
    },
    {
      method: 'POST',
      path: '/teams/:team/members/:member/role',
      who: 'member.change',
      answer: async (visit) => {
        const role = readRole(visit.form.get('role'))
        if (role === null) return show(visit, 400, { role: 'Choose one.' })
        return settle(visit, await changeRole(db, changeOf(visit), role, visit.doing), 'role')
      },
    },
    {
      method: 'POST',
      path: '/teams/:team/members/:member/remove',
      who: 'member.change',
      answer: async (visit) => settle(visit, await removeMember(db, changeOf(visit), visit.doing), 'removed'),
    },
  ]
}

function changeOf({ team, me, request }: InTeam): MemberChange {
  return { teamId: team.id, memberId: parameterOf(request, 'member'), askedBy: me.id }
}
