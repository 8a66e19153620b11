import { findDelivery } from '../domain/deliveries/delivery-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import type { ApiOperation } from './api-call.ts'
import { deliveryJson, noDelivery, webhookOf } from './delivery-answer.ts'
import { DELIVERY_ID, deliveryWithBodyAnswer } from './delivery-docs.ts'
import { idFor } from './webhook-docs.ts'

/** GET …/deliveries/:deliveryId. */
export function readDelivery(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}/:webhookId/deliveries/:deliveryId`,
    id: idFor(kind, 'get', 'WebhookDelivery'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Read a delivery of a ${kind} webhook`,
    description: 'Shows one delivery with the body that is sent.',
    parameters: DELIVERY_ID,
    answers: { 200: deliveryWithBodyAnswer(kind) },
    problems: ['not_found'],
    run: async (call) => {
      const webhook = await webhookOf(call, kind)
      const delivery = await findDelivery(call.db, webhook.id, call.parameters['deliveryId'] ?? '')
      if (delivery === null) throw noDelivery()
      return { status: 200, body: { data: { ...deliveryJson(delivery), requestBody: delivery.body } } }
    },
  }
}
