import { setTimeout as sleep } from 'node:timers/promises'
import { ALL_EVENTS } from '../domain/webhooks/event-names.ts'
import type { Connection } from './connection.ts'
import { deliveryFrom, type ListedDelivery } from './delivery.ts'
import { itemsOf } from './json-value.ts'
import { callAboutListed, type ListedWebhook, listWebhooks } from './webhooks.ts'

export type Reached = { webhook: ListedWebhook; delivery: ListedDelivery }

/** An event may reach a hundred webhooks; a terminal shows the first of them. */
const MOST_SHOWN = 20
const FIRST_PAUSE_MS = 200

/** The webhooks that an event reached, and what became of it there, once every one has answered or the time is over. */
export async function awaitReached(
  connection: Connection,
  { type, eventId, count, wait }: { type: string; eventId: string; count: number; wait: number },
): Promise<Reached[]> {
  if (count === 0) return []
  const endsAt = performance.now() + wait * 1_000
  const webhooks = (await listWebhooks(connection)).filter(
    ({ events }) => events.includes(type) || events.includes(ALL_EVENTS),
  )
  for (let pause = FIRST_PAUSE_MS; ; pause *= 1.5) {
    const reached = await lookFor(connection, webhooks, eventId, count)
    const isOver = reached.every(({ delivery }) => delivery.attempts > 0 || !isUnderWay(delivery))
    if (isOver || performance.now() + pause > endsAt) return reached
    await sleep(pause)
  }
}

/** To be sent, or to be fetched by a listener in a moment (decision record 82). */
function isUnderWay({ state, reason }: ListedDelivery): boolean {
  return state === 'pending' || (state === 'held' && reason === 'listening')
}

async function lookFor(
  connection: Connection,
  webhooks: readonly ListedWebhook[],
  eventId: string,
  count: number,
): Promise<Reached[]> {
  const reached: Reached[] = []
  for (const webhook of webhooks) {
    if (reached.length === Math.min(count, MOST_SHOWN)) break
    const path = `/webhooks/${webhook.kind}/${webhook.id}/deliveries?eventId=${encodeURIComponent(eventId)}&limit=1`
    const [found] = itemsOf(await callAboutListed(connection, { method: 'GET', path }), 'data')
    if (found !== undefined) reached.push({ webhook, delivery: deliveryFrom(found) })
  }
  return reached
}
