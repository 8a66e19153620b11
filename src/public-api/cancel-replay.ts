import { cancelReplay as cancel, findReplay } from '../domain/deliveries/replay-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { Problem } from '../http/problem.ts'
import type { ApiOperation } from './api-call.ts'
import { webhookOf } from './delivery-answer.ts'
import { noReplay, REPLAY_ID, replayAnswer, replayJson } from './replay-docs.ts'
import { IDEMPOTENCY_KEY, idFor } from './webhook-docs.ts'

/** POST …/replays/:replayId/cancel. Saying it twice is the same as saying it once. */
export function cancelReplay(kind: WebhookKind): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/replays/:replayId/cancel`,
    id: idFor(kind, 'cancel', 'WebhookReplay'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Cancel a replay of a ${kind} webhook`,
    description: 'Nothing more is taken up. What was taken up already is sent.',
    parameters: REPLAY_ID,
    headers: IDEMPOTENCY_KEY,
    answers: { 200: replayAnswer('The replay, cancelled.', ['Idempotent-Replayed']) },
    problems: ['not_found', 'replay_done', 'changed_meanwhile'],
    run: async (call) => {
      const webhook = await webhookOf(call, kind)
      const id = call.parameters['replayId'] ?? ''
      const replay = (await cancel(call.db, webhook.id, id)) ?? (await findReplay(call.db, webhook.id, id))
      if (replay === null) throw noReplay()
      if (replay.state === 'done')
        throw new Problem(409, 'replay_done', 'Replay done', 'This replay is done; there is nothing to cancel.')
      return { status: 200, body: { data: replayJson(replay) } }
    },
  }
}
