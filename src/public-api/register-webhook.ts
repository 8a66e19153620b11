import { limitWords } from '../domain/webhooks/register-webhook.ts'
import type { WishedWebhook } from '../domain/webhooks/registration.ts'
import type { Answer } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { wrongFields } from '../http/read-fields.ts'
import type { ApiCall } from './api-call.ts'
import { etagOfWebhook, webhookJson } from './webhook-answer.ts'
import { facilityFaults } from './webhook-fields.ts'

/** What both kinds of creation end with. */
export async function register({ registration, caller }: ApiCall, wished: WishedWebhook): Promise<Answer> {
  const registered = await registration(caller.application, wished)
  switch (registered.outcome) {
    case 'unknown':
    case 'none-found':
      throw wrongFields(facilityFaults(registered, wished, wished.facilities))
    case 'limit-reached':
      throw new Problem(409, 'limit_reached', 'Limit reached', limitWords(registered.limit, wished))
    case 'registered': {
      const { webhook } = registered
      return {
        status: 201,
        body: { data: webhookJson(webhook) },
        headers: { location: `/api/v2/public/webhooks/${webhook.kind}/${webhook.id}`, etag: etagOfWebhook(webhook) },
      }
    }
  }
}
