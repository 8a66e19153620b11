import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { mayTellOf } from '../deliveries/event-subject.ts'
import { sendTestEvent } from '../deliveries/test-event.ts'
import type { Audiences } from '../tokens/audience.ts'
import { type AtWork, holdTeamWebhook, noteWork, type WebhookTools } from './team-webhook.ts'

/** `data` is JSON text. Without a facility it is about the webhook's first one. */
export type TypedTest = { type: string; facilityId: string | null; data: string }

export type Tested =
  | { outcome: 'sent'; deliveryId: string }
  | { outcome: 'disabled' }
  | { outcome: 'unknown-facility' }
  | { outcome: 'unknown' }

/** To this webhook alone, marked as a test (decision C11). Followed by ringing the bell. */
export async function sendTeamTest(
  { db, cipher, audiences }: WebhookTools & { audiences: Audiences },
  work: AtWork,
  id: string,
  { type, facilityId, data }: TypedTest,
): Promise<Tested> {
  return retriedTransaction(db, async (tx): Promise<Tested> => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'delivery.send')
    if (held === null) return { outcome: 'unknown' }
    if (held.disabledBecause !== null) return { outcome: 'disabled' }
    if (facilityId !== null && !(await mayTellOf(tx, audiences, held, { facilityId })))
      return { outcome: 'unknown-facility' }
    const sent = await sendTestEvent(tx, audiences, held, { type, data, ...(facilityId !== null && { facilityId }) })
    if (sent.deliveryId === null) throw new Error('A test event has no delivery')
    await noteWork(tx, work, 'webhook.tested', id, { after: { type, event: sent.eventId } })
    return { outcome: 'sent', deliveryId: sent.deliveryId }
  })
}
