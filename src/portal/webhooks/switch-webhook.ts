import type { FastifyReply } from 'fastify'
import { HELD_CHOICES } from '../../domain/deliveries/hold-store.ts'
import { readHealth } from '../../domain/deliveries/webhook-health-store.ts'
import { disableTeamWebhook, enableTeamWebhook } from '../../domain/team-webhooks/switch-webhook.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { atWebhook, type InWebhook, inWebhook, sendInWebhook, webhookPath, workOf } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { enableContent } from './switch-webhook-view.ts'

/** …/webhooks/:webhook/enable and /disable (decisions D7, D8). Saying it twice is the same as saying it once. */
export function switchWebhookRoutes(parts: PortalParts): PortalRoute[] {
  async function show(visit: InWebhook, status: number, fault: string | null): Promise<FastifyReply> {
    const { webhook, browser } = visit
    const { waiting } = await readHealth(parts.db, webhook.id, parts.clock())
    const content = enableContent({ at: `/portal${webhookPath(visit)}`, csrf: browser.csrf, webhook, waiting, fault })
    return sendInWebhook(parts, visit, status, { title: 'Enable a webhook', place: 'overview', content })
  }

  async function enable(visit: InWebhook): Promise<FastifyReply> {
    const choice = HELD_CHOICES.find((each) => each === visit.form.get('held'))
    if (choice === undefined) return show(visit, 400, 'Choose one.')
    const switched = await enableTeamWebhook(parts, workOf(visit), visit.webhook.id, choice)
    if (switched === 'unknown') throw notFound()
    parts.bell.ring()
    return goDone(visit.reply, webhookPath(visit), 'webhook-enabled')
  }

  async function disable(visit: InWebhook): Promise<FastifyReply> {
    const switched = await disableTeamWebhook(parts, workOf(visit), visit.webhook.id)
    if (switched === 'unknown') throw notFound()
    return goDone(visit.reply, webhookPath(visit), 'webhook-disabled')
  }

  const enabling = atWebhook('/enable')
  return [
    {
      method: 'GET',
      path: enabling,
      who: 'webhook.change',
      answer: inWebhook(parts, (visit) => show(visit, 200, null)),
    },
    { method: 'POST', path: enabling, who: 'webhook.change', answer: inWebhook(parts, enable) },
    { method: 'POST', path: atWebhook('/disable'), who: 'webhook.change', answer: inWebhook(parts, disable) },
  ]
}
