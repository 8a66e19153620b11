import { setTimeout as sleep } from 'node:timers/promises'

export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** A process that stood still has read no answer meanwhile, and loses no more than one of these for it. */
const PARTS = 10

/**
 * Waits for a promise, but never longer than we said. With several hosts in DATABASE_URL and all of them down,
 * postgres.js waits for ever; a start-up or a readiness probe must not.
 */
export async function within<Value>(milliseconds: number, what: string, work: Promise<Value>): Promise<Value> {
  const decided = new AbortController()
  try {
    return await Promise.race([work, endOf(milliseconds, what, decided.signal)])
  } finally {
    decided.abort()
  }
}

async function endOf(milliseconds: number, what: string, decided: AbortSignal): Promise<never> {
  for (let part = 0; part < PARTS; part += 1) await sleep(milliseconds / PARTS, undefined, { signal: decided })
  throw new OutOfTime(`${what} took longer than ${milliseconds} ms`)
}
