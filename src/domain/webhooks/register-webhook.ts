import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Application } from '../applications/application.ts'
import type { Webhook, WebhookOwner } from './webhook.ts'
import { insertWebhook, type NewWebhook } from './webhook-store.ts'

export type Registered = { outcome: 'registered'; webhook: Webhook } | { outcome: 'limit-reached'; limit: number }

export type WebhookLimits = Pick<Application, 'webhooksPerPerson' | 'webhooksPerApplication'>

/** What every creation ends with, whichever door it came by (decision C11). */
export async function registerWebhook(
  db: DbOrTransaction,
  cipher: Cipher,
  limits: WebhookLimits,
  webhook: Omit<NewWebhook, 'id'>,
): Promise<Registered> {
  const limit = limitOf(limits, webhook)
  const made = await insertWebhook(db, cipher, { ...webhook, id: newId('whk') }, limit)
  return made === null ? { outcome: 'limit-reached', limit } : { outcome: 'registered', webhook: made }
}

export function limitOf(limits: WebhookLimits, { userId }: Pick<WebhookOwner, 'userId'>): number {
  return userId === null ? limits.webhooksPerApplication : limits.webhooksPerPerson
}

export function limitWords(limit: number, { userId, environment }: WebhookOwner): string {
  const whose = userId === null ? 'This application' : 'This person'
  return `${whose} has ${limit} webhooks of this kind in ${environment}, which is as many as allowed. Delete one, or ask support for more.`
}
