import type { WebhookOwner } from '../domain/webhooks/webhook.ts'
import { insertWebhook, type NewWebhook } from '../domain/webhooks/webhook-store.ts'
import type { Answer } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { newId } from '../platform/ids.ts'
import type { ApiCall } from './api-call.ts'
import { etagOfWebhook, webhookJson } from './webhook-answer.ts'

/** What both kinds of creation end with. */
export async function register(
  { db, cipher, caller }: ApiCall,
  owner: WebhookOwner,
  fields: Omit<NewWebhook, 'id' | keyof WebhookOwner>,
): Promise<Answer> {
  const { webhooksPerPerson, webhooksPerApplication } = caller.application
  const limit = owner.userId === null ? webhooksPerApplication : webhooksPerPerson
  const webhook = await insertWebhook(db, cipher, { ...owner, ...fields, id: newId('whk') }, limit)
  if (webhook === null) throw limitReached(limit, owner)
  return {
    status: 201,
    body: { data: webhookJson(webhook) },
    headers: { location: `/api/v2/public/webhooks/${webhook.kind}/${webhook.id}`, etag: etagOfWebhook(webhook) },
  }
}

function limitReached(limit: number, { userId, environment }: WebhookOwner): Problem {
  const whose = userId === null ? 'This application' : 'This person'
  return new Problem(
    409,
    'limit_reached',
    'Limit reached',
    `${whose} has ${limit} webhooks of this kind in ${environment}, which is as many as allowed. Delete one, or ask support for more.`,
  )
}
