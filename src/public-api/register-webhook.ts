import { limitWords, registerWebhook } from '../domain/webhooks/register-webhook.ts'
import type { WebhookOwner } from '../domain/webhooks/webhook.ts'
import type { NewWebhook } from '../domain/webhooks/webhook-store.ts'
import type { Answer } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import type { ApiCall } from './api-call.ts'
import { etagOfWebhook, webhookJson } from './webhook-answer.ts'

/** What both kinds of creation end with. */
export async function register(
  { db, cipher, caller }: ApiCall,
  owner: WebhookOwner,
  fields: Omit<NewWebhook, 'id' | keyof WebhookOwner>,
): Promise<Answer> {
  const registered = await registerWebhook(db, cipher, caller.application, { ...owner, ...fields })
  if (registered.outcome === 'limit-reached')
    throw new Problem(409, 'limit_reached', 'Limit reached', limitWords(registered.limit, owner))
  const { webhook } = registered
  return {
    status: 201,
    body: { data: webhookJson(webhook) },
    headers: { location: `/api/v2/public/webhooks/${webhook.kind}/${webhook.id}`, etag: etagOfWebhook(webhook) },
  }
}
