import type { FastifyReply } from 'fastify'
import { listAttempts } from '../../domain/deliveries/attempt-list-store.ts'
import { untilAttempted } from '../../domain/deliveries/await-attempt.ts'
import { findDelivery } from '../../domain/deliveries/delivery-list-store.ts'
import { sendDeliveryAgain } from '../../domain/team-webhooks/send-again.ts'
import { may } from '../../domain/teams/team.ts'
import { giveBack } from '../../http/admission.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { reasonInWords } from '../../ui/delivery-state.ts'
import { notice } from '../../ui/form.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import {
  atWebhook,
  charged,
  type InWebhook,
  inWebhook,
  SLOW_DOWN,
  sendInWebhook,
  WHILE_DISABLED,
  webhookPath,
  workOf,
} from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { deliveryContent } from './delivery-view.ts'

const ATTEMPTS_SHOWN = 15

/** …/deliveries/:delivery: the very request and every answer; and sending it now. */
export function deliveryRoutes(parts: PortalParts): PortalRoute[] {
  async function show(visit: InWebhook, status: number, error: string | null): Promise<FastifyReply> {
    const { webhook, request, team, browser, query } = visit
    const deliveryId = parameterOf(request, 'delivery')
    const delivery = await findDelivery(parts.db, webhook.id, deliveryId)
    if (delivery === null) throw notFound()
    const before = /^[1-9]\d{0,8}$/.exec(query.get('before') ?? '')?.[0]
    const page = { before: before === undefined ? null : Number(before), limit: ATTEMPTS_SHOWN + 1 }
    const attempts = (await listAttempts(parts.db, { webhookId: webhook.id, deliveryId }, page)) ?? []
    const content = deliveryContent({
      at: `/portal${webhookPath(visit)}`,
      debugger: `/portal/teams/${team.id}/debugger?delivery=${deliveryId}`,
      csrf: browser.csrf,
      webhook,
      delivery,
      attempts: attempts.slice(0, ATTEMPTS_SHOWN),
      older: attempts.length > ATTEMPTS_SHOWN ? (attempts[ATTEMPTS_SHOWN - 1]?.number ?? null) : null,
      maySend: may(team.role, 'delivery.send'),
    })
    const notices = error === null ? doneNotice(visit) : notice('error', error)
    return sendInWebhook(parts, visit, status, { title: 'Delivery', place: 'deliveries', content, notices })
  }

  async function send(visit: InWebhook): Promise<FastifyReply> {
    const webhookId = visit.webhook.id
    const deliveryId = parameterOf(visit.request, 'delivery')
    if (!charged(parts, visit, 'resend')) return show(visit, 429, SLOW_DOWN)
    const sent = await sendDeliveryAgain(parts, workOf(visit), { webhookId, deliveryId })
    switch (sent.outcome) {
      case 'queued':
        parts.bell.ring()
        giveBack(visit.request)
        await untilAttempted(parts.db, { webhookId, deliveryId }, sent.attempts)
        return goDone(visit.reply, `${webhookPath(visit)}/deliveries/${deliveryId}`, 'sent-again-now')
      case 'in-flight':
        return show(visit, 409, 'An attempt is under way at this moment. Wait for its result.')
      case 'unwanted':
        return show(visit, 409, `It is not sent any more: ${reasonInWords(sent.because)}. Change the webhook first.`)
      case 'disabled':
        return show(visit, 409, WHILE_DISABLED)
      case 'unknown':
        throw notFound()
    }
  }

  const path = atWebhook('/deliveries/:delivery')
  return [
    { method: 'GET', path, who: 'delivery.see', answer: inWebhook(parts, (visit) => show(visit, 200, null)) },
    {
      method: 'POST',
      path: atWebhook('/deliveries/:delivery/send'),
      who: 'delivery.send',
      answer: inWebhook(parts, send),
    },
  ]
}
