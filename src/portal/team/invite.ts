import type { FastifyReply } from 'fastify'
import { countAttempt } from '../../domain/limits/failure-store.ts'
import { mailLimits } from '../../domain/limits/mail-limits.ts'
import {
  findInvitation,
  inviteMember,
  renewInvitation,
  withdrawInvitation,
} from '../../domain/teams/invitation-store.ts'
import { MOST_IN_A_TEAM, readRole } from '../../domain/teams/team.ts'
import { emailFault } from '../../domain/users/sign-up.ts'
import { goDone } from '../threshold/done.ts'
import { notAllowed, type PortalRoute } from '../threshold/hang-routes.ts'
import { type PortalParts, portalUrl } from '../threshold/parts.ts'
import { invitationMail } from '../threshold/team-mails.ts'
import { goTo, type InTeam } from '../threshold/visit.ts'
import { showTeam } from './team.ts'

const NO_MAIL = 'This service cannot send mail, so nobody can be invited.'
const TOO_MANY = 'Too many invitations were sent. Wait a quarter of an hour and try again.'

/** Inviting somebody, sending it again, and taking it back. */
export function inviteRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function invite(visit: InTeam): Promise<FastifyReply> {
    const { form, team, me, doing, browser } = visit
    const email = form.get('email')?.trim() ?? ''
    const role = readRole(form.get('role'))
    const refuse = (status: number, faults: Parameters<typeof showTeam>[4]) =>
      showTeam(parts, visit, status, { email, role }, faults)
    if (parts.mailer === null) return refuse(400, { page: NO_MAIL })
    const fault = emailFault(email)
    if (fault !== null || role === null)
      return refuse(400, { ...(fault !== null && { email: fault }), ...(role === null && { role: 'Choose one.' }) })
    const allowed = await countAttempt(db, mailLimits('invitation', email, browser.address))
    if (!allowed.allowed) return refuse(429, { page: TOO_MANY })
    const invited = await inviteMember(db, { teamId: team.id, email, role, invitedBy: me.id }, doing)
    switch (invited.outcome) {
      case 'invited':
        mailLink(visit, email, invited.secret)
        return goDone(visit.reply, `/teams/${team.id}`, 'invited')
      case 'member-already':
        return refuse(400, { email: 'This address belongs to a member of the team.' })
      case 'invited-already':
        return refuse(400, { email: 'This address is invited already. You can send the invitation again above.' })
      case 'team-full':
        return refuse(409, { page: `A team has at most ${MOST_IN_A_TEAM} members and invitations.` })
      case 'not-allowed':
        throw notAllowed()
    }
  }

  async function sendAgain(visit: InTeam): Promise<FastifyReply> {
    const { form, team, me, doing, browser, reply } = visit
    const invitationId = form.get('invitation') ?? ''
    const known = await findInvitation(db, team.id, invitationId)
    if (known === null || parts.mailer === null) return goTo(reply, `/teams/${team.id}`)
    const allowed = await countAttempt(db, mailLimits('invitation', known.email, browser.address))
    if (!allowed.allowed) return showTeam(parts, visit, 429, undefined, { page: TOO_MANY })
    const renewed = await renewInvitation(db, { teamId: team.id, invitationId, askedBy: me.id }, doing)
    if (renewed === null) return goTo(reply, `/teams/${team.id}`)
    mailLink(visit, renewed.email, renewed.secret)
    return goDone(reply, `/teams/${team.id}`, 'sent-again')
  }

  function mailLink({ me }: InTeam, email: string, secret: string): void {
    // In the query, which no log of ours has in it.
    const mail = invitationMail(email, me.email, portalUrl(parts, `/join?invitation=${secret}`))
    parts.afterwards.run('send an invitation', async () => parts.mailer?.send(mail))
  }

  return [
    { method: 'POST', path: '/teams/:team/invitations', who: 'member.invite', answer: invite },
    { method: 'POST', path: '/teams/:team/invitations/send-again', who: 'member.invite', answer: sendAgain },
    {
      method: 'POST',
      path: '/teams/:team/invitations/withdraw',
      who: 'member.invite',
      answer: async ({ form, team, me, doing, reply }) => {
        const change = { teamId: team.id, invitationId: form.get('invitation') ?? '', askedBy: me.id }
        const gone = await withdrawInvitation(db, change, doing)
        return gone ? goDone(reply, `/teams/${team.id}`, 'withdrawn') : goTo(reply, `/teams/${team.id}`)
      },
    },
  ]
}
