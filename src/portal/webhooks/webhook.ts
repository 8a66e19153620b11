import type { FastifyReply } from 'fastify'
import { listDeliveries } from '../../domain/deliveries/delivery-list-store.ts'
import { readHealth } from '../../domain/deliveries/webhook-health-store.ts'
import { standingsOf } from '../../domain/deliveries/webhook-standing-store.ts'
import { nameFacilities } from '../../domain/facilities/facility-name-store.ts'
import { may } from '../../domain/teams/team.ts'
import { type Content, html } from '../../ui/html.ts'
import { doneNotice } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { atWebhook, type InWebhook, inWebhook, sendInWebhook, webhookPath } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { webhookContent } from './webhook-view.ts'

const NEWEST = 5
const EVERYTHING = { state: null, type: null, subjectId: null, eventId: null, from: null, to: null }
/** So many facilities are called by their names. */
const MOST_NAMED = 20

/** …/webhooks/:webhook: how it fares, what it is, its secrets. */
export function webhookRoutes(parts: PortalParts): PortalRoute[] {
  const answer = inWebhook(parts, (visit) => showWebhook(parts, visit, 200))
  return [{ method: 'GET', path: atWebhook(''), who: 'webhook.see', answer }]
}

/** `revealed` is what only the answer to a POST shows. */
export async function showWebhook(
  parts: PortalParts,
  visit: InWebhook,
  status: number,
  { revealed = null, error = null }: { revealed?: readonly string[] | null; error?: Content } = {},
): Promise<FastifyReply> {
  const { db, clock } = parts
  const { webhook, team, browser, environment } = visit
  const [health, standings, newest, facilities] = await Promise.all([
    readHealth(db, webhook.id, clock()),
    standingsOf(db, [webhook.id]),
    listDeliveries(db, webhook.id, EVERYTHING, { before: null, limit: NEWEST }),
    nameFacilities(db, environment, webhook.facilities.slice(0, MOST_NAMED)),
  ])
  const standing = standings.get(webhook.id)
  const content = webhookContent({
    at: `/portal${webhookPath(visit)}`,
    csrf: browser.csrf,
    webhook,
    health,
    standing,
    newest: newest.deliveries,
    facilities,
    revealed,
    may: {
      change: may(team.role, 'webhook.change'),
      reveal: may(team.role, 'webhook.reveal'),
      send: may(team.role, 'delivery.send'),
    },
  })
  const notices = error === null ? doneNotice(visit) : html`<p class="notice error" role="alert">${error}</p>`
  return sendInWebhook(parts, visit, status, { title: 'Webhook', place: 'overview', content, notices, standing })
}
