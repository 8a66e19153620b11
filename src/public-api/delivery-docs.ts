import { Type } from 'typebox'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import type { Documentation, Parameter } from '../http/operation.ts'
import {
  FacilityDeliveryAnswer,
  FacilityDeliveryList,
  FacilityDeliveryWithBody,
  UserDeliveryAnswer,
  UserDeliveryList,
  UserDeliveryWithBody,
} from './delivery-schemas.ts'
import { WEBHOOK_ID } from './webhook-docs.ts'

/** What the operations on deliveries say of themselves, as far as they say the same. */

export const DELIVERY_ID: Record<string, Parameter> = {
  ...WEBHOOK_ID,
  deliveryId: {
    description: 'The delivery identifier.',
    schema: Type.String({ examples: ['dlv_0198a6c2d1f07c3e9a41b7d2e5f60722'] }),
  },
}

const HEAD = { id: 'dlv_0198a6c2d1f07c3e9a41b7d2e5f60722', eventId: 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720' }
const TAIL = {
  state: 'pending',
  reason: null,
  attempts: 1,
  createdAt: '2026-11-15T08:00:00.000Z',
  nextAttemptAt: '2026-11-15T08:00:05.600Z',
  finishedAt: null,
}
const EXAMPLES = {
  facility: { ...HEAD, type: 'shift.created', facilityId: 'fac_riverside', ...TAIL },
  user: { ...HEAD, type: 'facility.creation.accepted', userId: 'usr_0198a6c2d1f07c3e9a41b7d2e5f60721', ...TAIL },
}

type AnswerDocs = Documentation['answers'][number]

export function deliveryAnswer(kind: WebhookKind, description: string): AnswerDocs {
  return {
    description,
    schema: kind === 'facility' ? FacilityDeliveryAnswer : UserDeliveryAnswer,
    example: { data: EXAMPLES[kind] },
    headers: ['Idempotent-Replayed'],
  }
}

export function deliveryListAnswer(kind: WebhookKind): AnswerDocs {
  return {
    description: 'A page of deliveries.',
    schema: kind === 'facility' ? FacilityDeliveryList : UserDeliveryList,
    example: { data: [EXAMPLES[kind]], next: null },
  }
}

export function deliveryWithBodyAnswer(kind: WebhookKind): AnswerDocs {
  const { id: deliveryId, eventId, ...shown } = EXAMPLES[kind]
  const subject = 'facilityId' in shown ? { facilityId: shown.facilityId } : { userId: shown.userId }
  const sent = { id: eventId, type: shown.type, timestamp: shown.createdAt, environment: 'production' }
  const requestBody = JSON.stringify({ ...sent, apiVersion: 'v2', ...subject, data: {} })
  return {
    description: 'The delivery.',
    schema: kind === 'facility' ? FacilityDeliveryWithBody : UserDeliveryWithBody,
    example: { data: { id: deliveryId, eventId, ...shown, requestBody } },
  }
}
