import type { FastifyReply } from 'fastify'
import { findDelivery, listDeliveries } from '../../domain/deliveries/delivery-list-store.ts'
import { may } from '../../domain/teams/team.ts'
import { doneNotice } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { atWebhook, type InWebhook, inWebhook, sendInWebhook, webhookPath } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { goTo } from '../threshold/visit.ts'
import { deliveriesContent, filterNotices } from './deliveries-view.ts'
import { readFilter } from './delivery-filter.ts'

const PER_PAGE = 25

/** …/webhooks/:webhook/deliveries, newest first; a cursor that we did not write counts as none. */
export function deliveryListRoutes(parts: PortalParts): PortalRoute[] {
  async function list(visit: InWebhook): Promise<FastifyReply> {
    const { webhook, query, team, reply } = visit
    const { typed, filter, deliveryId, faults } = readFilter(query, webhook.kind)
    if (deliveryId !== null && (await findDelivery(parts.db, webhook.id, deliveryId)) !== null)
      return goTo(reply, `${webhookPath(visit)}/deliveries/${deliveryId}`)
    const before = /^dlv_[0-9a-f]{32}$/.exec(query.get('before') ?? '')?.[0] ?? null
    const isFaulty = Object.keys(faults).length > 0
    // One more than is shown tells whether there is another page.
    const found =
      isFaulty || deliveryId !== null
        ? { deliveries: [], lookedUntil: null }
        : await listDeliveries(parts.db, webhook.id, filter, { before, limit: PER_PAGE + 1 })
    const deliveries = found.deliveries.slice(0, PER_PAGE)
    const content = deliveriesContent({
      at: `/portal${webhookPath(visit)}`,
      kind: webhook.kind,
      typed,
      faults,
      deliveries,
      older: found.deliveries.length > PER_PAGE ? (deliveries.at(-1)?.id ?? null) : found.lookedUntil,
      lookedUntil: found.lookedUntil,
      isFirstPage: before === null,
      maySend: may(team.role, 'delivery.send'),
    })
    const notices = isFaulty ? filterNotices(faults) : doneNotice(visit)
    return sendInWebhook(parts, visit, isFaulty ? 400 : 200, {
      title: 'Deliveries',
      place: 'deliveries',
      content,
      notices,
    })
  }

  return [{ method: 'GET', path: atWebhook('/deliveries'), who: 'delivery.see', answer: inWebhook(parts, list) }]
}
