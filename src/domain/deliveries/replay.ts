import { FINISHED_STATES } from './delivery.ts'

/** Which deliveries a replay can take up: finished ones, and those that were kept when their webhook was enabled. */
export const REPLAYABLE_STATES = [...FINISHED_STATES, 'held'] as const

export type ReplayableState = (typeof REPLAYABLE_STATES)[number]

export const REPLAY_STATES = ['running', 'done', 'cancelled'] as const

/** What is to be replayed: deliveries that were made from one moment on and before the other. */
export type ReplayRange = { from: Date; to: Date; states: ReplayableState[] }

/** Deliveries that are sent again, with full retries, no quicker than the webhook takes them (decision D9). */
export type Replay = ReplayRange & {
  id: string
  state: (typeof REPLAY_STATES)[number]
  /** How many fitted when it began. */
  total: number
  /** How many were taken up so far. */
  queued: number
  createdAt: Date
  finishedAt: Date | null
}

/**
 * How many a step takes up: as many as the webhook gets in a second, unless twice as many wait for it already. So a replay
 * never stands before what happens now by more than a moment, and a receiver that is down is not given more.
 */
export function roomForReplay({ perSecond, waiting }: { perSecond: number; waiting: number }): number {
  return Math.max(0, Math.min(perSecond, 2 * perSecond - waiting))
}
