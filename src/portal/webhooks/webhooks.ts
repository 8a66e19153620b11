import { standingsOf } from '../../domain/deliveries/webhook-standing-store.ts'
import { may } from '../../domain/teams/team.ts'
import { listForApplication } from '../../domain/webhooks/webhook-list-store.ts'
import { doneNotice } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { inEnvironment, sendInApplication } from '../threshold/in-application.ts'
import { WEBHOOKS, webhooksPath } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { webhooksContent } from './webhooks-view.ts'

const PER_PAGE = 25

/** The application's webhooks in one environment, newest first; a cursor that we did not write counts as none. */
export function webhookListRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts
  return [
    {
      method: 'GET',
      path: WEBHOOKS,
      who: 'webhook.see',
      answer: inEnvironment(parts, async (visit) => {
        const { application, environment, team, query } = visit
        const before = /^whk_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
        const where = { applicationId: application.id, environment }
        const { webhooks, older } = await listForApplication(db, where, { before, limit: PER_PAGE })
        const standings = await standingsOf(
          db,
          webhooks.map(({ id }) => id),
        )
        const content = webhooksContent({
          at: `/portal${webhooksPath(visit)}`,
          environment,
          webhooks,
          standings,
          older,
          isFirstPage: before === null,
          mayChange: may(team.role, 'webhook.change'),
          done: doneNotice(visit),
        })
        return sendInApplication(visit, 200, { title: 'Webhooks', place: 'webhooks', content, within: '/webhooks' })
      }),
    },
  ]
}
