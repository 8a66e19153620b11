import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { callApi } from './call-api.ts'
import type { Connection } from './connection.ts'
import { memberOf, numberOf, textOf } from './json-value.ts'
import { oneLine, type Paint } from './output.ts'

/** A delivery as the API tells of it. `told` is all that it said, for who asked for JSON. */
export type ListedDelivery = {
  id: string
  eventId: string
  type: string
  state: string
  reason: string | null
  attempts: number
  createdAt: string
  finishedAt: string | null
  told: unknown
}

/** Where it is found in the API. */
export type DeliveryPlace = { webhookId: string; kind: WebhookKind }

/** Each of its words fit to stand in a line. */
export function deliveryFrom(value: unknown): ListedDelivery {
  const word = (name: string): string | null => {
    const text = textOf(value, name)
    return text === null ? null : oneLine(text)
  }
  return {
    id: word('id') ?? '',
    eventId: word('eventId') ?? '',
    type: word('type') ?? '',
    state: word('state') ?? '',
    reason: word('reason'),
    attempts: numberOf(value, 'attempts') ?? 0,
    createdAt: word('createdAt') ?? '',
    finishedAt: word('finishedAt'),
    told: value,
  }
}

export function deliveryPath({ webhookId, kind }: DeliveryPlace, deliveryId: string): string {
  return `/webhooks/${kind}/${encodeURIComponent(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}`
}

/** By its id alone, whichever webhook it is of. */
export async function placeOfDelivery(connection: Connection, deliveryId: string): Promise<DeliveryPlace> {
  const path = `/deliveries/${encodeURIComponent(deliveryId)}`
  const data = memberOf(await callApi(connection, { method: 'GET', path }), 'data')
  const kind = textOf(data, 'kind') === 'user' ? 'user' : 'facility'
  return { webhookId: textOf(data, 'webhookId') ?? '', kind }
}

/** `delivered`, `failed (attempts_used_up)`, in its colour. */
export function stateInWords({ state, reason }: Pick<ListedDelivery, 'state' | 'reason'>, paint: Paint): string {
  const text = reason === null ? state : `${state} (${reason})`
  if (state === 'delivered') return paint.good(text)
  return state === 'failed' || state === 'cancelled' ? paint.bad(text) : paint.doubt(text)
}

export function attemptsInWords(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`
}
