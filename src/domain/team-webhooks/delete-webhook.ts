import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { untilUnderWay } from '../deliveries/hold-store.ts'
import { deleteWebhook } from '../webhooks/webhook-store.ts'
import { type AtWork, holdTeamWebhook, noteWork, stateOf, type WebhookTools } from './team-webhook.ts'

/** False when there is none. When this returns, no request of it begins any more (decision D8). */
export async function deleteTeamWebhook({ db, cipher }: WebhookTools, work: AtWork, id: string): Promise<boolean> {
  const deleted = await retriedTransaction(db, async (tx) => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'webhook.change')
    if (held === null) return false
    await deleteWebhook(tx, id)
    await noteWork(tx, work, 'webhook.deleted', id, { before: stateOf(held) })
    return true
  })
  if (deleted) await untilUnderWay(db, id)
  return deleted
}
