import { LOAD, RECEIVERS, WEBHOOK } from './parameters.ts'
import type { Random } from './random.ts'

export const QUICK = 0
export const SLOW = 1
export const DEAD = 2

/** The webhooks of one database: how often each gets something, what its receiver is like, and what it may be sent. */
export type Population = {
  size: number
  weights: Float64Array
  kinds: Uint8Array
  perSecond: Float64Array
  atOnce: Uint16Array
}

/**
 * One in `databases` of all webhooks, chosen by chance as a hash of their application would. Whoever gets more than it may be
 * sent has had its limits raised by support, to twice of what it needs; else its queue would grow without an end.
 */
export function populationOf(databases: number, deliveriesPerSecond: number, random: Random): Population {
  const ranks: number[] = []
  let total = 0
  for (let rank = 1; rank <= LOAD.webhooks; rank += 1) {
    total += rank ** -LOAD.popularity
    if (random.next() * databases < 1) ranks.push(rank)
  }
  const weights = Float64Array.from(ranks, (rank) => rank ** -LOAD.popularity)
  const rates = weights.map((weight) => (weight / total) * deliveriesPerSecond * databases)
  const kinds = Uint8Array.from(ranks, (_, place) => kindOf(random, (rates[place] ?? 0) < 1))
  return {
    size: ranks.length,
    weights,
    kinds,
    perSecond: rates.map((rate) => Math.max(WEBHOOK.perSecond, 2 * rate)),
    atOnce: Uint16Array.from(rates, (rate, place) =>
      Math.max(
        WEBHOOK.atOnce,
        Math.ceil(4 * rate * (kinds[place] === SLOW ? RECEIVERS.slow.median : RECEIVERS.quick.median)),
      ),
    ),
  }
}

/** Those that get much are looked after, so they are quick and alive. */
function kindOf(random: Random, isSmall: boolean): number {
  const place = random.next()
  if (!isSmall) return QUICK
  if (place < RECEIVERS.dead.share) return DEAD
  return place < RECEIVERS.dead.share + RECEIVERS.slow.share ? SLOW : QUICK
}
