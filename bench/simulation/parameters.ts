/**
 * Everything the simulation takes for granted, in one place, with where it comes from. Times are seconds.
 * PostgreSQL's CPU and bytes of WAL: `npm run bench -- costs`. They are for a webhook that sleeps between two events; where
 * webhooks are busy a delivery comes to 114, 87 and 85 µs of CPU at fan-out 1, 10 and 100.
 */
export const COSTS = {
  database: {
    publish: { each: 761e-6, event: 29e-6, delivery: 32e-6 },
    claim: { each: 1_300e-6, webhook: 47e-6, delivery: 28e-6 },
    /** A look that finds nothing due. */
    emptyLook: 199e-6,
    settle: { each: 883e-6, delivery: 27e-6 },
  },
  /**
   * Of a web process, for taking an event in; of a worker, for each attempt, divided between sending and the answer. By what
   * `delivery` measured in the same hour, 167 µs at fan-out 1 and 113 at fan-out 100.
   */
  ours: { event: 54e-6, sending: 74e-6, answer: 39e-6 },
  /** From a worker to PostgreSQL and back, and a commit's fsync; assumed, of a network and a disk in one data centre. */
  roundTrip: 0.5e-3,
  commit: 1.5e-3,
  /** Without full-page images, which come on top after every checkpoint. */
  walBytes: { event: 1_184, delivery: 954, claim: 761, settle: 1_084 },
  /** With indexes, of an event of 300 bytes, a finished delivery and an attempt without a response body; grow, 100,000. */
  storedBytes: { event: 780, delivery: 437, attempt: 241 },
} as const

/** What is asked for. */
export const LOAD = {
  eventsPerSecond: 50_000,
  webhooks: 1_000_000,
  /** Events that are published together. */
  batch: 100,
  /** How many webhooks an event reaches: k with a probability of k to the power of minus this, up to the most. Assumed. */
  fanOut: { power: 2.2, most: 1_000 },
  /** The webhook of rank r gets a share of r to the power of minus this. Assumed. */
  popularity: 0.75,
} as const

/** Assumed; answers are log-normal around a median. */
export const RECEIVERS = {
  quick: { median: 0.08, spread: 0.6 },
  slow: { share: 0.02, median: 3, spread: 0.4 },
  dead: { share: 0.005 },
  /** Of the answers of those that are well. */
  failing: 0.002,
  /** D4: 15 s in all, and what times out is an attempt that failed. */
  timeout: 15,
} as const

/** What a webhook is made with (migration 0005). */
export const WEBHOOK = { perSecond: 50, atOnce: 10 } as const

/** src/delivery/settle.ts and src/platform/bell.ts. */
export const SETTLE = { gather: 5e-3, most: 500 } as const
export const BELL = 20e-3

/** A machine is filled to this share on purpose: the rest is for retries, vacuum, and the hour in which one is missing. */
export const FILLED = 0.6
/** Intakes of one database at the same moment: connections of the web processes. */
export const INTAKES = 32
