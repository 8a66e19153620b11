import { Type } from 'typebox'
import { REPLAY_STATES, REPLAYABLE_STATES, type Replay } from '../domain/deliveries/replay.ts'
import type { Documentation, Parameter } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { WEBHOOK_ID } from './webhook-docs.ts'

/** How a replay is shown and spoken of (decision D9). */

export const REPLAY_ID: Record<string, Parameter> = {
  ...WEBHOOK_ID,
  replayId: {
    description: 'The replay identifier.',
    schema: Type.String({ examples: ['rpl_0198a6c2d1f07c3e9a41b7d2e5f60723'] }),
  },
}

const moment = Type.String({ format: 'date-time' })

export const ShownReplay = Type.Object({
  id: Type.String(),
  from: moment,
  to: moment,
  states: Type.Array(Type.Enum([...REPLAYABLE_STATES], { type: 'string' })),
  state: Type.Enum([...REPLAY_STATES], { type: 'string' }),
  total: Type.Integer({ minimum: 0, description: 'How many deliveries fitted when it began.' }),
  queued: Type.Integer({ minimum: 0, description: 'How many of them were taken up so far.' }),
  createdAt: moment,
  finishedAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the last one was taken up, or it was cancelled.',
  }),
})
export const ReplayAnswer = Type.Object({ data: ShownReplay })
export const ReplayList = Type.Object({
  data: Type.Array(ShownReplay),
  next: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The `cursor` of the next page, or null when this is the last.',
  }),
})

export const REPLAY_EXAMPLE = {
  id: 'rpl_0198a6c2d1f07c3e9a41b7d2e5f60723',
  from: '2026-11-15T08:00:00.000Z',
  to: '2026-11-15T12:00:00.000Z',
  states: ['failed'],
  state: 'running',
  total: 412,
  queued: 50,
  createdAt: '2026-11-15T12:30:00.000Z',
  finishedAt: null,
}

export function replayAnswer(description: string, headers: readonly string[] = []): Documentation['answers'][number] {
  return { description, schema: ReplayAnswer, example: { data: REPLAY_EXAMPLE }, headers }
}

export function replayJson(replay: Replay): Record<string, unknown> {
  return {
    id: replay.id,
    from: replay.from.toISOString(),
    to: replay.to.toISOString(),
    states: replay.states,
    state: replay.state,
    total: replay.total,
    queued: replay.queued,
    createdAt: replay.createdAt.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  }
}

export function noReplay(): Problem {
  return new Problem(404, 'not_found', 'Not found', 'This webhook has no such replay.')
}
