import { RECEIVERS } from './parameters.ts'
import { DEAD, SLOW } from './population.ts'
import type { Random } from './random.ts'

/** How long a receiver lets us wait, and whether it takes what it was sent. */
export function answerOf(kind: number, isDown: boolean, random: Random): { wait: number; isTaken: boolean } {
  const { timeout, slow, quick, failing } = RECEIVERS
  if (kind === DEAD || isDown) return { wait: timeout, isTaken: false }
  const { median, spread } = kind === SLOW ? slow : quick
  const wait = median * Math.exp(spread * random.normal())
  return wait > timeout ? { wait: timeout, isTaken: false } : { wait, isTaken: random.next() >= failing }
}
