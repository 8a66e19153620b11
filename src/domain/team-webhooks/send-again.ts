import { newId } from '../../platform/ids.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { findDelivery } from '../deliveries/delivery-list-store.ts'
import type { Replay, ReplayRange } from '../deliveries/replay.ts'
import { beginReplay, cancelReplay, countReplayable } from '../deliveries/replay-list-store.ts'
import { type Resend, resendDelivery } from '../deliveries/resend-store.ts'
import type { Audiences } from '../tokens/audience.ts'
import { type AtWork, holdTeamWebhook, noteWork, type WebhookTools } from './team-webhook.ts'

/** `attempts` is how many there were before. */
export type SentAgain =
  | { outcome: 'queued'; attempts: number }
  | Exclude<Resend, { outcome: 'queued' }>
  | { outcome: 'disabled' }

/** One delivery, now (decision D9). Followed by ringing the bell. */
export async function sendDeliveryAgain(
  { db, cipher, audiences }: WebhookTools & { audiences: Audiences },
  work: AtWork,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<SentAgain> {
  return retriedTransaction(db, async (tx): Promise<SentAgain> => {
    const webhook = await holdTeamWebhook(tx, cipher, work, webhookId, 'delivery.send')
    const delivery = webhook && (await findDelivery(tx, webhookId, deliveryId))
    if (webhook === null || delivery === null) return { outcome: 'unknown' }
    if (webhook.disabledBecause !== null) return { outcome: 'disabled' }
    const resent = await resendDelivery(tx, audiences, webhookId, deliveryId)
    if (resent.outcome !== 'queued') return resent
    await noteWork(tx, work, 'delivery.sent-again', webhookId, { after: { delivery: deliveryId } })
    return { outcome: 'queued', attempts: delivery.attempts }
  })
}

export type ReplayBegun = { outcome: 'begun'; replay: Replay } | { outcome: 'running' | 'disabled' | 'unknown' }

/** Many deliveries, at the webhook's rate (decision D9). */
export async function beginTeamReplay(
  { db, cipher }: WebhookTools,
  work: AtWork,
  webhookId: string,
  range: ReplayRange,
): Promise<ReplayBegun> {
  const total = await countReplayable(db, webhookId, range)
  return retriedTransaction(db, async (tx): Promise<ReplayBegun> => {
    const webhook = await holdTeamWebhook(tx, cipher, work, webhookId, 'delivery.send')
    if (webhook === null) return { outcome: 'unknown' }
    if (webhook.disabledBecause !== null) return { outcome: 'disabled' }
    const replay = await beginReplay(tx, { ...range, id: newId('rpl'), webhookId, total })
    if (replay === null) return { outcome: 'running' }
    const after = { replay: replay.id, from: range.from.toISOString(), to: range.to.toISOString() }
    await noteWork(tx, work, 'replay.begun', webhookId, {
      after: { ...after, states: range.states.join(', '), deliveries: total },
    })
    return { outcome: 'begun', replay }
  })
}

/** False when it does not run any more, or never did. */
export async function cancelTeamReplay(
  { db, cipher }: WebhookTools,
  work: AtWork,
  { webhookId, replayId }: { webhookId: string; replayId: string },
): Promise<boolean> {
  return retriedTransaction(db, async (tx) => {
    const webhook = await holdTeamWebhook(tx, cipher, work, webhookId, 'delivery.send')
    const replay = webhook && (await cancelReplay(tx, webhookId, replayId))
    if (replay === null) return false
    await noteWork(tx, work, 'replay.cancelled', webhookId, {
      after: { replay: replayId, 'sent again': replay.queued, deliveries: replay.total },
    })
    return true
  })
}
