import { Type } from 'typebox'
import { webhookOfDelivery } from '../domain/deliveries/delivery-place-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { findWebhook } from '../domain/webhooks/webhook-store.ts'
import { Problem } from '../http/problem.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'

const KINDS: readonly WebhookKind[] = ['facility', 'user']

/** GET /deliveries/:deliveryId: who has nothing but a delivery's id learns where the rest of it is. */
export const findDelivery: ApiOperation = {
  method: 'GET',
  path: '/deliveries/:deliveryId',
  id: 'findDelivery',
  tag: 'Deliveries',
  summary: 'Find a delivery by its id',
  description:
    'Says which webhook a delivery is of. Everything else about it is at `/webhooks/{kind}/{webhookId}/deliveries/{id}`.',
  parameters: {
    deliveryId: { description: 'The delivery’s id.', schema: Type.String({ minLength: 1, maxLength: 64 }) },
  },
  answers: {
    200: {
      description: 'Whose it is.',
      schema: Type.Object({
        data: Type.Object({
          id: Type.String(),
          kind: Type.Enum([...KINDS], { type: 'string' }),
          webhookId: Type.String(),
        }),
      }),
      example: {
        data: {
          id: 'dlv_0198a6c2d1f07c3e9a41b7d2e5f60720',
          kind: 'facility',
          webhookId: 'whk_0198a6c2d1f07c3e9a41b7d2e5f60711',
        },
      },
    },
  },
  problems: ['not_found'],
  run: async ({ db, cipher, caller, parameters }) => {
    const id = parameters['deliveryId'] ?? ''
    const webhookId = await webhookOfDelivery(db, id)
    if (webhookId === null) throw unknown()
    for (const kind of KINDS) {
      if ((await findWebhook(db, cipher, viewerOf(caller), kind, webhookId)) !== null)
        return { status: 200, body: { data: { id, kind, webhookId } } }
    }
    throw unknown()
  },
}

/** The same for one that never was, of somebody else and of the other environment. */
function unknown(): Problem {
  return new Problem(
    404,
    'not_found',
    'Not found',
    'There is no such delivery, it is older than 30 days, or not yours to see.',
  )
}
