import { type Attempt, listAttempts as readPage } from '../domain/deliveries/attempt-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { pageJson } from '../http/page-query.ts'
import type { ApiOperation } from './api-call.ts'
import { attemptJson, noDelivery, webhookOf } from './delivery-answer.ts'
import { DELIVERY_ID } from './delivery-docs.ts'
import { AttemptList } from './delivery-schemas.ts'
import { pageOf, readNewestFirst } from './page-query.ts'
import { idFor } from './webhook-docs.ts'

const EXAMPLE = {
  number: 1,
  startedAt: '2026-11-15T08:00:00.120Z',
  url: 'https://partner.example/hooks/handover',
  status: 503,
  error: null,
  message: null,
  durationMs: 87,
  responseHead: 'content-type: text/plain\ncontent-length: 7',
  responseBody: 'not now',
  manual: false,
}

/** GET …/deliveries/:deliveryId/attempts: the latest first, as every list is. */
export function listAttempts(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}/:webhookId/deliveries/:deliveryId/attempts`,
    id: idFor(kind, 'list', 'WebhookAttempts'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `List attempts of a delivery of a ${kind} webhook`,
    description: 'Every attempt that was made, the latest first, with what the receiver answered.',
    parameters: DELIVERY_ID,
    query: pageOf('att'),
    answers: {
      200: { description: 'A page of attempts.', schema: AttemptList, example: { data: [EXAMPLE], next: null } },
    },
    problems: ['not_found'],
    run: async (call) => {
      const { before, limit } = readNewestFirst(call.query)
      const webhook = await webhookOf(call, kind)
      const found = await readPage(
        call.db,
        { webhookId: webhook.id, deliveryId: call.parameters['deliveryId'] ?? '' },
        // One more than asked for tells whether there is another page.
        { before: before === null ? null : numberIn(before), limit: limit + 1 },
      )
      if (found === null) throw noDelivery()
      return { status: 200, body: pageJson(found.map(withId), limit, attemptJson) }
    },
  }
}

/** Attempts have numbers and no ids; a cursor is made from an id, so the number is written as one. */
function withId(attempt: Attempt): Attempt & { id: string } {
  return { ...attempt, id: `att_${attempt.number.toString(16).padStart(32, '0')}` }
}

const LARGEST_NUMBER = 2 ** 31 - 1

function numberIn(id: string): number {
  return Math.min(Number(`0x${id.slice('att_'.length)}`), LARGEST_NUMBER)
}
