import { listDeliveriesIn } from '../domain/deliveries/delivery-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { cursorAfter, pageJson } from '../http/page-query.ts'
import type { ApiOperation } from './api-call.ts'
import { deliveryJson, webhookOf } from './delivery-answer.ts'
import { deliveryListAnswer } from './delivery-docs.ts'
import { deliveryQuery, readDeliveryQuery } from './delivery-query.ts'
import { idFor, WEBHOOK_ID } from './webhook-docs.ts'

/** GET …/:webhookId/deliveries: newest first. */
export function listDeliveries(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}/:webhookId/deliveries`,
    id: idFor(kind, 'list', 'WebhookDeliveries'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `List deliveries of a ${kind} webhook`,
    description:
      'What is to be sent, what was sent and what is held, newest first, for 30 days. With a filter a page can be shorter than `limit`, even empty, and yet have a `next`: go on until that is null.',
    parameters: WEBHOOK_ID,
    query: deliveryQuery(kind),
    answers: { 200: deliveryListAnswer(kind) },
    problems: ['not_found'],
    run: async (call) => {
      const { filter, page } = readDeliveryQuery(call.query, kind)
      const webhook = await webhookOf(call, kind)
      // One more than asked for tells whether there is another page.
      const found = await call.atomically((tx) =>
        listDeliveriesIn(tx, webhook.id, filter, { ...page, limit: page.limit + 1 }),
      )
      const { data, next } = pageJson(found.deliveries, page.limit, deliveryJson)
      const goOn = found.lookedUntil === null ? null : cursorAfter(found.lookedUntil)
      return { status: 200, body: { data, next: next ?? goOn } }
    },
  }
}
