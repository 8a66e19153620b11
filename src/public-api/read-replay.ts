import { findReplay } from '../domain/deliveries/replay-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import type { ApiOperation } from './api-call.ts'
import { webhookOf } from './delivery-answer.ts'
import { noReplay, REPLAY_ID, replayAnswer, replayJson } from './replay-docs.ts'
import { idFor } from './webhook-docs.ts'

/** GET …/replays/:replayId: how far it is. */
export function readReplay(kind: WebhookKind): ApiOperation {
  return {
    method: 'GET',
    path: `/webhooks/${kind}/:webhookId/replays/:replayId`,
    id: idFor(kind, 'get', 'WebhookReplay'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Read a replay of a ${kind} webhook`,
    description: 'Shows how far a replay is.',
    parameters: REPLAY_ID,
    answers: { 200: replayAnswer('The replay.') },
    problems: ['not_found'],
    run: async (call) => {
      const webhook = await webhookOf(call, kind)
      const replay = await findReplay(call.db, webhook.id, call.parameters['replayId'] ?? '')
      if (replay === null) throw noReplay()
      return { status: 200, body: { data: replayJson(replay) } }
    },
  }
}
