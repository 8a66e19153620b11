import { findDelivery } from '../domain/deliveries/delivery-list-store.ts'
import { type Resend, resendDelivery as resend } from '../domain/deliveries/resend-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { Problem } from '../http/problem.ts'
import type { ApiOperation } from './api-call.ts'
import { deliveryJson, noDelivery, webhookDisabled, webhookOf } from './delivery-answer.ts'
import { DELIVERY_ID, deliveryAnswer } from './delivery-docs.ts'
import { IDEMPOTENCY_KEY, idFor } from './webhook-docs.ts'

/** POST …/deliveries/:deliveryId/resend (decision D9). */
export function resendDelivery(kind: WebhookKind): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/deliveries/:deliveryId/resend`,
    id: idFor(kind, 'resend', 'WebhookDelivery'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Resend a delivery of a ${kind} webhook`,
    description:
      'Sends it at once, with the same `webhook-id` and body, signed by the present secrets. One that is over gets one attempt more, which counts for nothing but itself: its result is in the list of attempts, and success makes the delivery `delivered`. One that is pending gets its next attempt now, one that was kept begins again.',
    parameters: DELIVERY_ID,
    headers: IDEMPOTENCY_KEY,
    answers: { 202: deliveryAnswer(kind, 'It is next in line. The delivery as it is now.') },
    problems: ['not_found', 'webhook_disabled', 'in_flight', 'not_wanted', 'changed_meanwhile'],
    rateName: 'resend',
    run: async (call) => {
      const id = call.parameters['deliveryId'] ?? ''
      const delivery = await call.atomically(async (tx) => {
        const webhook = await webhookOf({ ...call, db: tx }, kind)
        const before = await findDelivery(tx, webhook.id, id)
        if (before === null) throw noDelivery()
        if (webhook.disabledBecause !== null) throw webhookDisabled()
        const resent = await resend(tx, call.audiences, webhook.id, id)
        if (resent.outcome !== 'queued') throw refusal(resent)
        return (await findDelivery(tx, webhook.id, id)) ?? before
      })
      call.afterCommit(async () => call.bell.ring())
      return { status: 202, body: { data: deliveryJson(delivery) } }
    },
  }
}

function refusal(resent: Exclude<Resend, { outcome: 'queued' }>): Problem {
  switch (resent.outcome) {
    case 'unknown':
      return noDelivery()
    case 'in-flight':
      return new Problem(
        409,
        'in_flight',
        'Being sent',
        'An attempt of this delivery is under way. Wait for its result, and repeat if it is still needed.',
      )
    case 'unwanted':
      return new Problem(
        409,
        'not_wanted',
        'Not wanted any more',
        `The webhook does not get this event any more: ${resent.because}. Change the webhook first.`,
      )
  }
}
