import { listReplays as readPage } from '../domain/deliveries/replay-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { pageJson } from '../http/page-query.ts'
import type { ApiOperation } from './api-call.ts'
import { webhookOf } from './delivery-answer.ts'
import { pageOf, readNewestFirst } from './page-query.ts'
import { REPLAY_EXAMPLE, ReplayList, replayJson } from './replay-docs.ts'
import { idFor, WEBHOOK_ID } from './webhook-docs.ts'

/** GET …/:webhookId/replays: newest first. */
export function listReplays(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}/:webhookId/replays`,
    id: idFor(kind, 'list', 'WebhookReplays'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `List replays of a ${kind} webhook`,
    description: 'Every replay that was begun, newest first.',
    parameters: WEBHOOK_ID,
    query: pageOf('rpl'),
    answers: {
      200: { description: 'A page of replays.', schema: ReplayList, example: { data: [REPLAY_EXAMPLE], next: null } },
    },
    problems: ['not_found'],
    run: async (call) => {
      const page = readNewestFirst(call.query)
      const webhook = await webhookOf(call, kind)
      // One more than asked for tells whether there is another page.
      const found = await readPage(call.db, webhook.id, { ...page, limit: page.limit + 1 })
      return { status: 200, body: pageJson(found, page.limit, replayJson) }
    },
  }
}
