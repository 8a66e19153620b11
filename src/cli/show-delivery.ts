import { callApi } from './call-api.ts'
import type { Connection } from './connection.ts'
import {
  attemptsInWords,
  type DeliveryPlace,
  deliveryFrom,
  deliveryPath,
  placeOfDelivery,
  stateInWords,
} from './delivery.ts'
import { itemsOf, memberOf, numberOf, textOf } from './json-value.ts'
import { harmless, type Output, oneLine, type Paint } from './output.ts'

/** `deliveries show`: what is sent, every attempt, and what came back. */
export async function showDelivery(connection: Connection, output: Output, id: string): Promise<void> {
  const place = await placeOfDelivery(connection, id)
  const path = deliveryPath(place, id)
  const data = memberOf(await callApi(connection, { method: 'GET', path }), 'data')
  const attempts = await attemptsOf(connection, place, id)
  if (output.isJson) return output.record({ ...place, delivery: data, attempts }, '')
  const { paint } = output
  const delivery = deliveryFrom(data)
  const next = textOf(data, 'nextAttemptAt')
  const head = [
    `${paint.bold(delivery.type)}  ${delivery.id}  ${stateInWords(delivery, paint)}  ${attemptsInWords(delivery.attempts)}`,
    `event    ${delivery.eventId}`,
    `webhook  ${oneLine(place.webhookId)} (${place.kind})`,
    `made     ${delivery.createdAt}`,
    ...(delivery.finishedAt === null ? [] : [`over     ${delivery.finishedAt}`]),
    ...(next === null ? [] : [`next     ${oneLine(next)}`]),
  ]
  output.record(null, head.join('\n'))
  output.record(null, `\n${paint.bold('Body')}\n${harmless(textOf(data, 'requestBody') ?? '')}`)
  for (const attempt of attempts) output.record(null, `\n${attemptInWords(attempt, paint)}`)
}

/** The latest first; the API keeps what is needed of each. */
export async function attemptsOf(connection: Connection, place: DeliveryPlace, id: string): Promise<unknown[]> {
  return itemsOf(
    await callApi(connection, { method: 'GET', path: `${deliveryPath(place, id)}/attempts?limit=100` }),
    'data',
  )
}

export function attemptInWords(attempt: unknown, paint: Paint): string {
  const status = numberOf(attempt, 'status')
  const isGood = status !== null && status >= 200 && status < 300
  const outcome = status === null ? `${textOf(attempt, 'error')}: ${textOf(attempt, 'message')}` : String(status)
  const lines = [
    `${paint.bold(`Attempt ${numberOf(attempt, 'number')}`)}  ${oneLine(textOf(attempt, 'startedAt') ?? '')}  → ${oneLine(textOf(attempt, 'url') ?? '')}`,
    `  ${(isGood ? paint.good : paint.bad)(oneLine(outcome))}  ${numberOf(attempt, 'durationMs')} ms${memberOf(attempt, 'manual') === true ? '  resent by hand' : ''}`,
    ...indented(textOf(attempt, 'responseHead'), paint.faint),
    ...indented(textOf(attempt, 'responseBody'), (text) => text),
  ]
  return lines.join('\n')
}

function indented(text: string | null, paint: (text: string) => string): string[] {
  if (text === null || text === '') return []
  return harmless(text)
    .split('\n')
    .map((line) => `  ${paint(line)}`)
}
