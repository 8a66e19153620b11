import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { type HeldChoice, untilUnderWay } from '../deliveries/hold-store.ts'
import { disableWebhook, enableWebhook } from '../deliveries/switch-webhook.ts'
import { type AtWork, holdTeamWebhook, noteWork, type WebhookTools } from './team-webhook.ts'

/** `same`: it was so already. */
export type Switched = 'switched' | 'same' | 'unknown'

/** Followed by ringing the bell, so that what waited is sent at once. */
export async function enableTeamWebhook(
  { db, cipher }: WebhookTools,
  work: AtWork,
  id: string,
  choice: HeldChoice,
): Promise<Switched> {
  return retriedTransaction(db, async (tx): Promise<Switched> => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'webhook.change')
    if (held === null) return 'unknown'
    if (held.disabledBecause === null) return 'same'
    await enableWebhook(tx, held, choice)
    const states = { before: { disabled: held.disabledBecause }, after: { disabled: 'no', held: choice } }
    await noteWork(tx, work, 'webhook.enabled', id, states)
    return 'switched'
  })
}

/** When this returns, no request of it begins any more (decision D8). */
export async function disableTeamWebhook({ db, cipher }: WebhookTools, work: AtWork, id: string): Promise<Switched> {
  const switched = await retriedTransaction(db, async (tx): Promise<Switched> => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'webhook.change')
    if (held === null) return 'unknown'
    if (held.disabledBecause !== null) return 'same'
    await disableWebhook(tx, held)
    await noteWork(tx, work, 'webhook.disabled', id, { before: { disabled: 'no' }, after: { disabled: 'by_request' } })
    return 'switched'
  })
  if (switched === 'switched') await untilUnderWay(db, id)
  return switched
}
