/** A worker as the loop in src/delivery is one: it looks, sends, and writes down what came of it, all at once on one core. */
export type Worker = {
  busyUntil: number
  busy: number
  inFlight: number
  failing: number
  /** The look that counts; one that was entered before it does not. */
  look: number
  isIdle: boolean
  isClaiming: boolean
  isSettling: boolean
  outcomes: number[]
  settling: number[]
  claimed: number[]
  awayUntil: number
  life: number
}

export function newWorker(): Worker {
  return {
    busyUntil: 0,
    busy: 0,
    inFlight: 0,
    failing: 0,
    look: -1,
    isIdle: false,
    isClaiming: false,
    isSettling: false,
    outcomes: [],
    settling: [],
    claimed: [],
    awayUntil: 0,
    life: 0,
  }
}
