import { createWaits, type Waits } from './waits.ts'

/** One look at a database while it works. */
export type Sample = {
  at: number
  /** Published, and not stored yet. */
  notTakenIn: number
  /** Due, and not under way. */
  waiting: number
  inFlight: number
  /** To be tried again later. */
  later: number
  /** Of receivers that are well, since the sample before. */
  p99: number
}

export type Figures = {
  samples: Sample[]
  /** From publishing, or from when it was due again, to when the request leaves; of receivers that are well. */
  lateness: Waits
  sinceSample: Waits
  events: number
  attempts: number
  retries: number
  delivered: number
  failed: number
  looks: number
  emptyLooks: number
}

export function newFigures(): Figures {
  return {
    samples: [],
    lateness: createWaits(),
    sinceSample: createWaits(),
    events: 0,
    attempts: 0,
    retries: 0,
    delivered: 0,
    failed: 0,
    looks: 0,
    emptyLooks: 0,
  }
}
