import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { listWebhooks as readPage } from '../domain/webhooks/webhook-store.ts'
import { pageJson } from '../http/page-query.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { pageOf, readNewestFirst } from './page-query.ts'
import { webhookJson } from './webhook-answer.ts'
import { exampleOf, idFor } from './webhook-docs.ts'
import { FacilityWebhookList, UserWebhookList } from './webhook-schemas.ts'

/** GET /webhooks/facility and /webhooks/user: newest first. */
export function listWebhooks(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}`,
    id: idFor(kind, 'list', 'Webhooks'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `List ${kind} webhooks`,
    description:
      'Newest first. A token of a person lists that person’s webhooks; a client_credentials token lists all of the application in the environment.',
    query: pageOf('whk'),
    answers: {
      200: {
        description: 'A page of webhooks.',
        schema: kind === 'facility' ? FacilityWebhookList : UserWebhookList,
        example: { data: [exampleOf(kind)], next: null },
      },
    },
    problems: [],
    run: async ({ db, cipher, caller, query }) => {
      const page = readNewestFirst(query)
      // One more than asked for tells whether there is another page.
      const found = await readPage(db, cipher, viewerOf(caller), kind, { ...page, limit: page.limit + 1 })
      return { status: 200, body: pageJson(found, page.limit, webhookJson) }
    },
  }
}
