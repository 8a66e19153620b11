import { Type } from 'typebox'
import { REPLAYABLE_STATES, type ReplayableState, type ReplayRange } from '../domain/deliveries/replay.ts'
import { beginReplay, countReplayable } from '../domain/deliveries/replay-list-store.ts'
import type { WebhookKind } from '../domain/webhooks/webhook.ts'
import { holdWebhook } from '../domain/webhooks/webhook-store.ts'
import { inOurTime, NOT_A_MOMENT, readMoment } from '../http/moment.ts'
import { requiredBody } from '../http/operation.ts'
import { type FieldProblem, Problem } from '../http/problem.ts'
import { fieldReader, wrongFields } from '../http/read-fields.ts'
import { newId } from '../platform/ids.ts'
import { type ApiOperation, viewerOf } from './api-call.ts'
import { webhookDisabled, webhookOf } from './delivery-answer.ts'
import { replayAnswer, replayJson } from './replay-docs.ts'
import { noWebhook } from './webhook-answer.ts'
import { IDEMPOTENCY_KEY, idFor, WEBHOOK_ID } from './webhook-docs.ts'

const moment = (description: string) => Type.String({ format: 'date-time', maxLength: 40, description })

const ReplayDeliveries = Type.Object(
  {
    from: moment('Deliveries that were made at this moment or later.'),
    to: moment('Deliveries that were made before this moment.'),
    states: Type.Optional(
      Type.Array(Type.Enum([...REPLAYABLE_STATES], { type: 'string' }), {
        minItems: 1,
        uniqueItems: true,
        default: ['failed'],
        description: 'In which of these states. `held` stands for those that were kept when the webhook was enabled.',
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only count what would be replayed.' })),
  },
  { additionalProperties: false },
)

type ReplayFields = { from: string; to: string; states?: ReplayableState[]; dryRun?: boolean }

const read = fieldReader<ReplayFields>(ReplayDeliveries)

/** POST …/:webhookId/replay (decisions C11, D9). */
export function replayDeliveries(kind: WebhookKind): ApiOperation {
  return {
    method: 'POST',
    path: `/webhooks/${kind}/:webhookId/replay`,
    id: idFor(kind, 'replay', 'WebhookDeliveries'),
    tag: kind === 'facility' ? 'Facility webhooks' : 'User webhooks',
    summary: `Replay deliveries of a ${kind} webhook`,
    description:
      'Sends deliveries of a range of time again, with the same ids and with full retries, little by little, so that what happens now is not held up. One replay of a webhook runs at a time.',
    parameters: WEBHOOK_ID,
    headers: IDEMPOTENCY_KEY,
    body: {
      schema: ReplayDeliveries,
      example: { from: '2026-11-15T08:00:00Z', to: '2026-11-15T12:00:00Z', states: ['failed'], dryRun: false },
    },
    answers: {
      200: {
        description: 'With `dryRun`: how many deliveries fit.',
        schema: Type.Object({ data: Type.Object({ count: Type.Integer({ minimum: 0 }) }) }),
        example: { data: { count: 412 } },
        headers: ['Idempotent-Replayed'],
      },
      202: replayAnswer('It runs.', ['Location', 'Idempotent-Replayed']),
    },
    problems: ['not_found', 'webhook_disabled', 'replay_running', 'changed_meanwhile'],
    rateName: 'replay',
    run: async (call) => {
      const { range, dryRun } = readReplay(requiredBody(call))
      const { id: webhookId } = await webhookOf(call, kind)
      const total = await countReplayable(call.db, webhookId, range)
      if (dryRun) return { status: 200, body: { data: { count: total } } }
      const replay = await call.atomically(async (tx) => {
        const webhook = await holdWebhook(tx, call.cipher, viewerOf(call.caller), kind, webhookId)
        if (webhook === null) throw noWebhook()
        if (webhook.disabledBecause !== null) throw webhookDisabled()
        return beginReplay(tx, { ...range, id: newId('rpl'), webhookId, total })
      })
      if (replay === null) throw replayRunning()
      const location = `/api/v2/public/webhooks/${kind}/${webhookId}/replays/${replay.id}`
      return { status: 202, body: { data: replayJson(replay) }, headers: { location } }
    },
  }
}

function readReplay(body: unknown): { range: ReplayRange; dryRun: boolean } {
  const { sound, faults } = read(body)
  const from = momentOf(sound.from, '/from', faults)
  const to = momentOf(sound.to, '/to', faults)
  if (from !== null && to !== null && from >= to)
    faults.push({ pointer: '/to', code: 'out_of_range', message: 'must be later than from.' })
  if (faults.length > 0 || from === null || to === null) throw wrongFields(faults)
  const range = { from: inOurTime(from), to: inOurTime(to), states: sound.states ?? ['failed'] }
  return { range, dryRun: sound.dryRun ?? false }
}

function momentOf(written: string | undefined, pointer: string, faults: FieldProblem[]): Date | null {
  if (written === undefined) return null
  const found = readMoment(written)
  if (found === null) faults.push({ pointer, code: 'malformed', message: NOT_A_MOMENT })
  return found
}

function replayRunning(): Problem {
  return new Problem(
    409,
    'replay_running',
    'Replay running',
    'A replay of this webhook is running. Wait until it is done, or cancel it.',
  )
}
