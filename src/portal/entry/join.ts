import { acceptInvitation, findOffer, isFor } from '../../domain/teams/join-store.ts'
import { sendPage } from '../../http/page.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { invitationOf } from './invitation.ts'
import { invitationGonePage, joinPage } from './join-view.ts'

/** /portal/join: where the link in an invitation leads. Looking does not use it up: mail programs open links before people do. */
export function joinRoutes({ db }: PortalParts): PortalRoute[] {
  return [
    {
      method: 'GET',
      path: '/join',
      who: 'anyone',
      answer: async (visit) => {
        const { reply, browser } = visit
        const invitation = invitationOf(visit)
        const offer = invitation === null ? null : await findOffer(db, invitation)
        if (invitation === null || offer === null) return sendPage(reply, 400, invitationGonePage())
        const integrator = browser.session?.integrator ?? null
        const visitor = integrator && { email: integrator.email, isInvited: isFor(offer, integrator) }
        return sendPage(reply, 200, joinPage({ csrf: browser.csrf, invitation, offer, visitor }))
      },
    },
    {
      method: 'POST',
      path: '/join',
      who: 'signed-in',
      answer: async (visit) => {
        const invitation = invitationOf(visit)
        const joined = invitation === null ? null : await acceptInvitation(db, visit.me, invitation, visit.doing)
        if (joined === null) return sendPage(visit.reply, 400, invitationGonePage())
        return goDone(visit.reply, `/teams/${joined}`, 'joined')
      },
    },
  ]
}
