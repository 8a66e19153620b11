import type { FastifyReply } from 'fastify'
import { leaveTeam } from '../../domain/teams/member-store.ts'
import { MOST_TEAMS, readTeamName } from '../../domain/teams/team.ts'
import { createTeam, renameTeam } from '../../domain/teams/team-store.ts'
import { goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { goTo, type InTeam, type SignedIn } from '../threshold/visit.ts'
import { LAST_OWNER } from './member.ts'
import { leaveContent, newTeamContent, renameContent } from './membership-view.ts'

/** A new team, another name for one, and leaving one. */
export function membershipRoutes({ db }: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/teams/new',
      who: 'signed-in',
      answer: async (visit) => showNew(visit, 200, '', null),
    },
    {
      method: 'POST',
      path: '/teams/new',
      who: 'signed-in',
      answer: async (visit) => {
        const typed = visit.form.get('name')
        const { name, fault } = readTeamName(typed)
        if (fault !== null) return showNew(visit, 400, typed ?? '', fault)
        const id = await createTeam(db, visit.me.id, name, visit.doing)
        if (id === null) return showNew(visit, 409, name, `You are in ${MOST_TEAMS} teams, which is the most.`)
        return goDone(visit.reply, `/teams/${id}`, 'created')
      },
    },
    {
      method: 'GET',
      path: '/teams/:team/name',
      who: 'team.rename',
      answer: async (visit) => showRename(visit, 200, visit.team.name, null),
    },
    {
      method: 'POST',
      path: '/teams/:team/name',
      who: 'team.rename',
      answer: async (visit) => {
        const typed = visit.form.get('name')
        const { name, fault } = readTeamName(typed)
        if (fault !== null) return showRename(visit, 400, typed ?? '', fault)
        await renameTeam(db, visit.team.id, name, visit.doing)
        return goDone(visit.reply, `/teams/${visit.team.id}`, 'renamed')
      },
    },
    {
      method: 'GET',
      path: '/teams/:team/leave',
      who: 'team.leave',
      answer: async (visit) => showLeave(visit, 200, null),
    },
    {
      method: 'POST',
      path: '/teams/:team/leave',
      who: 'team.leave',
      answer: async (visit) => {
        const outcome = await leaveTeam(db, visit.team.id, visit.me.id, visit.doing)
        if (outcome === 'last-owner') return showLeave(visit, 409, LAST_OWNER)
        // Removed by somebody else a moment ago is gone as well.
        const others = visit.teams.filter(({ id }) => id !== visit.team.id)
        const [next] = others
        return next === undefined ? goTo(visit.reply, '') : goDone(visit.reply, `/teams/${next.id}`, 'left')
      },
    },
  ]
}

function showNew(visit: SignedIn, status: number, typed: string, fault: string | null): FastifyReply {
  const view = { csrf: visit.browser.csrf, typed, fault, isFirst: visit.teams.length === 0 }
  return sendFramed(visit, status, { title: 'Create a team', place: null, content: newTeamContent(view) })
}

function showRename(visit: InTeam, status: number, typed: string, fault: string | null): FastifyReply {
  const content = renameContent({ csrf: visit.browser.csrf, team: visit.team, typed, fault })
  return sendFramed(visit, status, { title: 'Rename the team', place: 'team', content })
}

function showLeave(visit: InTeam, status: number, error: string | null): FastifyReply {
  const content = leaveContent({ csrf: visit.browser.csrf, team: visit.team, error })
  return sendFramed(visit, status, { title: 'Leave the team', place: 'team', content })
}
