import type { DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Audiences } from '../tokens/audience.ts'
import { ALL_EVENTS, eventsOf } from '../webhooks/event-names.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import { newestDeliveryOf } from './delivery-list-store.ts'
import type { NewEvent } from './event.ts'
import { acceptEvents } from './event-store.ts'
import { exampleData } from './example-data.ts'

/** What an integrator wants to see arrive; what is left out is filled in. `data` is JSON text and is sent to the byte. */
export type TestEvent = { type?: string; facilityId?: string; userId?: string; data: string | null }

/** A facility or person that is nobody's, where a webhook has none: whoever tries things out needs no other. */
const NOBODY = { facilityId: 'fac_test', userId: 'usr_test' }

/** The first that the webhook subscribes to. */
export function usualType({ kind, events }: Pick<Webhook, 'kind' | 'events'>): string {
  return events.find((each) => each !== ALL_EVENTS) ?? eventsOf(kind)[0] ?? ''
}

/** One event to this webhook alone, whatever it subscribes to (decision C11). */
export async function sendTestEvent(
  tx: DbOrTransaction,
  audiences: Audiences,
  webhook: Webhook,
  test: TestEvent,
): Promise<{ eventId: string; deliveryId: string | null }> {
  const { id: webhookId, environment } = webhook
  const event = eventFor(webhook, test)
  await acceptEvents(tx, audiences[environment], environment, [event], { applicationId: null, webhookId })
  return { eventId: event.id, deliveryId: await newestDeliveryOf(tx, webhookId, event.id) }
}

function eventFor(webhook: Webhook, { type = usualType(webhook), facilityId, userId, data }: TestEvent): NewEvent {
  return {
    id: newId('evt'),
    environment: webhook.environment,
    type,
    subject:
      webhook.kind === 'facility'
        ? { facilityId: facilityId ?? webhook.facilities[0] ?? NOBODY.facilityId }
        : { userId: userId ?? webhook.userId ?? NOBODY.userId },
    occurredAt: null,
    data: data ?? exampleData(type),
    test: true,
  }
}
