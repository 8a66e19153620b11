import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { callApi } from './call-api.ts'
import type { Connection } from './connection.ts'
import { deliveryFrom, deliveryPath, placeOfDelivery, stateInWords } from './delivery.ts'
import { memberOf } from './json-value.ts'
import type { Output } from './output.ts'
import { attemptInWords, attemptsOf } from './show-delivery.ts'

/** Somewhat longer than a receiver may take. */
const PATIENCE_MS = 20_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 2_000

/** `deliveries resend`: one attempt more, and its answer. */
export async function resendDelivery(connection: Connection, output: Output, id: string): Promise<void> {
  const place = await placeOfDelivery(connection, id)
  const path = deliveryPath(place, id)
  const headers = { 'idempotency-key': randomUUID() }
  const before = deliveryFrom(memberOf(await callApi(connection, { method: 'GET', path }), 'data'))
  await callApi(connection, { method: 'POST', path: `${path}/resend`, headers })
  output.progress('Waiting for the receiver …')
  const endsAt = performance.now() + PATIENCE_MS
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const data = memberOf(await callApi(connection, { method: 'GET', path }), 'data')
    const delivery = deliveryFrom(data)
    if (delivery.attempts > before.attempts) {
      const [latest] = await attemptsOf(connection, place, id)
      const text = `${stateInWords(delivery, output.paint)}\n${attemptInWords(latest, output.paint)}`
      return output.record({ ...place, delivery: data, attempt: latest }, text)
    }
    if (performance.now() + pause > endsAt) {
      output.record({ ...place, delivery: data, attempt: null }, `${id} is next in line.`)
      return output.say(`It was not sent within ${PATIENCE_MS / 1_000} s. "handover deliveries show ${id}" tells more.`)
    }
    await sleep(pause)
  }
}
