import { memberOf, numberOf, textOf } from '../json-value.ts'

/** A delivery as the stream hands it out. */
export type Message = {
  deliveryId: string
  attempt: number
  eventId: string
  type: string
  handedOutBefore: boolean
  headers: Record<string, string>
  body: string
}

/** Null when it is none that this version understands. */
export function messageFrom(data: unknown): Message | null {
  const deliveryId = textOf(data, 'deliveryId')
  const attempt = numberOf(data, 'attempt')
  const body = textOf(data, 'body')
  if (deliveryId === null || attempt === null || body === null) return null
  const headers = memberOf(data, 'headers')
  const named = typeof headers === 'object' && headers !== null ? Object.entries(headers) : []
  return {
    deliveryId,
    attempt,
    eventId: textOf(data, 'eventId') ?? '',
    type: textOf(data, 'type') ?? '',
    handedOutBefore: memberOf(data, 'handedOutBefore') === true,
    headers: Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
    body,
  }
}

/** Which attempt of which delivery: what is forwarded once and reported once. */
export function keyOf({ deliveryId, attempt }: Pick<Message, 'deliveryId' | 'attempt'>): string {
  return `${deliveryId} ${attempt}`
}
