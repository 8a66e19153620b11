import type { DbOrTransaction } from '../../platform/db.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import { setDisabled } from '../webhooks/webhook-store.ts'
import { type HeldChoice, resumeSending, stopSending } from './hold-store.ts'

/** Of a webhook that is held (decision D7). Saying it twice changes nothing, the version included. */
export async function enableWebhook(tx: DbOrTransaction, held: Webhook, choice: HeldChoice): Promise<Webhook> {
  if (held.disabledBecause === null) return held
  await resumeSending(tx, held.id, choice)
  return setDisabled(tx, held, null)
}

/** Of a webhook that is held (decision D8). To be followed by `untilUnderWay` after the commit. */
export async function disableWebhook(tx: DbOrTransaction, held: Webhook): Promise<Webhook> {
  if (held.disabledBecause !== null) return held
  const disabled = await setDisabled(tx, held, 'by_request')
  await stopSending(tx, held.id)
  return disabled
}
