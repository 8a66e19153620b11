import { Type } from 'typebox'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import type { Documentation, Parameter } from '../http/operation.ts'
import { FacilityWebhookAnswer, UserWebhookAnswer } from './webhook-schemas.ts'

/** What the operations on webhooks say of themselves, as far as they say the same. */

export const WEBHOOK_ID: Record<string, Parameter> = {
  webhookId: {
    description: 'The webhook identifier.',
    schema: Type.String({ examples: ['whk_0198a6c2d1f07c3e9a41b7d2e5f60718'] }),
  },
}

export const IF_MATCH: Record<string, Parameter> = {
  'If-Match': {
    description: 'The ETag of the version that is meant; another present version is 412.',
    schema: Type.String({ examples: ['"3.1"'] }),
  },
}

export const IDEMPOTENCY_KEY: Record<string, Parameter> = {
  'Idempotency-Key': {
    description:
      'Makes the request safe to repeat: the same key with the same body gets the same answer for 24 hours; with another body, or while the first is still running, 409.',
    schema: Type.String({ minLength: 1, maxLength: 255 }),
  },
}

const FACILITY_EXAMPLE = {
  id: 'whk_0198a6c2d1f07c3e9a41b7d2e5f60718',
  url: 'https://partner.example/hooks/handover',
  events: ['shift.created', 'shift.cancelled'],
  clientId: 'app_0198a6c2d1f07c3e9a41b7d2e5f60719',
  facilities: ['fac_riverside'],
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='],
  status: 'enabled',
  disabledReason: null,
  createdAt: '2026-11-15T08:00:00.000Z',
  updatedAt: '2026-11-15T08:00:00.000Z',
}

const { facilities: _, ...rest } = FACILITY_EXAMPLE
const USER_EXAMPLE = { ...rest, events: ['facility.creation.accepted'] }

export function exampleOf(kind: WebhookKind): object {
  return kind === 'facility' ? FACILITY_EXAMPLE : USER_EXAMPLE
}

/** The answer of every operation that shows one webhook. */
export function webhookAnswer(
  kind: WebhookKind,
  description: string,
  headers: readonly string[] = [],
): Documentation['answers'][number] {
  return {
    description,
    schema: kind === 'facility' ? FacilityWebhookAnswer : UserWebhookAnswer,
    example: { data: exampleOf(kind) },
    headers: ['ETag', ...headers],
  }
}

/** `createFacilityWebhook`, `createUserWebhook`. */
export function idFor(kind: WebhookKind, verb: string, noun = 'Webhook'): string {
  return `${verb}${kind === 'facility' ? 'Facility' : 'User'}${noun}`
}
