import { randomUUID } from 'node:crypto'
import type { Scene } from '../scene.ts'
import { askSurely, json, pause } from './visit.ts'

const MOST_AT_ONCE = 5

/** The marketplace's back end, which tells of events. The same ids again are the same events (decision D1). */
export async function visitAsMarketplace(scene: Scene): Promise<void> {
  const { ledger, platformKey, facilities } = scene
  const events = Array.from({ length: 1 + Math.floor(Math.random() * MOST_AT_ONCE) }, () => ({
    id: randomUUID(),
    environment: 'sandbox',
    type: 'shift.created',
    facilityId: facilities.busy,
    data: { shiftId: randomUUID() },
  }))
  for (const { id } of events) ledger.events.set(id, 'asked')
  const request = json('POST', platformKey, events)
  const outcome = await askSurely(scene, 'events published', '/platform/v1/events', request)
  if (outcome.kind === 'done') for (const { id } of events) ledger.events.set(id, 'taken')
  // Nothing is wrong with them, the first time or the second.
  if (outcome.kind === 'refused') ledger.lost.push(`events were refused: ${outcome.answer.text.slice(0, 200)}`)
  await pause(80)
}
