import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Application } from '../applications/application.ts'
import type { Webhook, WebhookOwner } from './webhook.ts'
import { insertWebhook, type NewWebhook } from './webhook-store.ts'

export type Registered = { outcome: 'registered'; webhook: Webhook } | { outcome: 'limit-reached'; limit: number }

/** What every creation ends with, whichever door it came by (decision C11). */
export async function registerWebhook(
  db: DbOrTransaction,
  cipher: Cipher,
  { webhooksPerPerson, webhooksPerApplication }: Pick<Application, 'webhooksPerPerson' | 'webhooksPerApplication'>,
  webhook: Omit<NewWebhook, 'id'>,
): Promise<Registered> {
  const limit = webhook.userId === null ? webhooksPerApplication : webhooksPerPerson
  const made = await insertWebhook(db, cipher, { ...webhook, id: newId('whk') }, limit)
  return made === null ? { outcome: 'limit-reached', limit } : { outcome: 'registered', webhook: made }
}

export function limitWords(limit: number, { userId, environment }: WebhookOwner): string {
  const whose = userId === null ? 'This application' : 'This person'
  return `${whose} has ${limit} webhooks of this kind in ${environment}, which is as many as allowed. Delete one, or ask support for more.`
}
