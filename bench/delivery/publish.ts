import { randomUUID } from 'node:crypto'
import { facilityOf, PLATFORM_KEY, WEBHOOKS } from './scene.ts'

export type NewEvent = { id: string; environment: 'sandbox'; type: string; facilityId: string; data: object }

/** `count` events, spread over the groups of webhooks that share a facility. */
export function eventsFor(fanOut: number, count: number): NewEvent[] {
  const groups = WEBHOOKS / fanOut
  return Array.from({ length: count }, (_, number) => eventAt(facilityOf(fanOut, number % groups)))
}

export function eventAt(facilityId: string): NewEvent {
  const id = randomUUID()
  const data = { shiftId: id, startsAt: '2026-11-20T06:00:00Z', note: 'x'.repeat(200) }
  return { id, environment: 'sandbox', type: 'shift.created', facilityId, data }
}

export async function publish(port: number, events: NewEvent | NewEvent[]): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/platform/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  })
  const text = await answer.text()
  if (answer.status !== 202) throw new Error(`Events were not taken: ${answer.status} ${text.slice(0, 300)}`)
}
