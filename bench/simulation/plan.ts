import { MOST_AT_ONCE, MOST_WEBHOOKS } from '../../src/delivery/loop.ts'
import { COSTS, FILLED, LOAD, RECEIVERS } from './parameters.ts'

/** What an amount of events comes to, before anything goes wrong. Everything is for a second. */
export type Demand = {
  events: number
  deliveries: number
  /** An event is stored in every database that one of its webhooks is in. */
  storedEvents: number
  databaseCores: number
  workerCores: number
  webCores: number
  walBytes: number
  storedBytesADay: number
}

export type Plan = { databases: number; workersEach: number; demand: Demand }

/** The shares of events that reach one webhook, two, three … */
export function fanOutShares(): Float64Array {
  const { power, most } = LOAD.fanOut
  const weights = Float64Array.from({ length: most }, (_, place) => (place + 1) ** -power)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

/** Webhooks an event reaches, and databases, when they are spread evenly over so many. */
export function reachOf(shares: Float64Array, databases: number): { webhooks: number; databases: number } {
  let webhooks = 0
  let reached = 0
  for (const [place, share] of shares.entries()) {
    webhooks += share * (place + 1)
    reached += share * databases * (1 - (1 - 1 / databases) ** (place + 1))
  }
  return { webhooks, databases: reached }
}

/** A claim finds about so many webhooks with one delivery each while a database is busy and not behind. */
export const CLAIMED_TOGETHER = 15
export const SETTLED_TOGETHER = 30

export function demandOf(eventsPerSecond: number, databases: number): Demand {
  const reach = reachOf(fanOutShares(), databases)
  const deliveries = eventsPerSecond * reach.webhooks
  const storedEvents = eventsPerSecond * reach.databases
  const { publish, claim, settle } = COSTS.database
  const forEvent = publish.each / LOAD.batch + publish.event
  const forDelivery =
    publish.delivery +
    claim.each / CLAIMED_TOGETHER +
    // A webhook that was claimed from is looked at once more when the lease has ended.
    2 * claim.webhook +
    claim.delivery +
    settle.each / SETTLED_TOGETHER +
    settle.delivery
  const { walBytes: wal, storedBytes: stored, ours } = COSTS
  return {
    events: eventsPerSecond,
    deliveries,
    storedEvents,
    databaseCores: storedEvents * forEvent + deliveries * forDelivery,
    workerCores: deliveries * (ours.sending + ours.answer),
    webCores: eventsPerSecond * ours.event,
    walBytes: storedEvents * wal.event + deliveries * (wal.delivery + wal.claim + wal.settle),
    storedBytesADay: 86_400 * (storedEvents * stored.event + deliveries * (stored.delivery + stored.attempt)),
  }
}

/** As few databases of so many cores as stay filled as they should be, and workers for each of them. */
export function planFor(eventsPerSecond: number, cores: number): Plan {
  for (let databases = 1; ; databases += 1) {
    const demand = demandOf(eventsPerSecond, databases)
    if (demand.databaseCores / databases > cores * FILLED) continue
    return { databases, workersEach: workersFor(demand, databases), demand }
  }
}

/** By their CPU, by how much they can claim, and by the requests they may have open; two at least, so that one can go. */
function workersFor({ deliveries, workerCores }: Demand, databases: number): number {
  const { claim } = COSTS.database
  const look = COSTS.roundTrip + claim.each + MOST_WEBHOOKS * (claim.webhook + claim.delivery) + COSTS.commit
  const turn = look + MOST_WEBHOOKS * COSTS.ours.sending
  // Most webhooks have one delivery waiting, and each is looked at a second time when its lease has ended.
  const claims = (2 * deliveries * turn) / MOST_WEBHOOKS
  const open = inFlightOf(deliveries) / MOST_AT_ONCE
  return Math.max(2, Math.ceil(Math.max(workerCores, claims, open) / databases / FILLED))
}

/** Requests that wait for an answer at any moment. */
function inFlightOf(deliveries: number): number {
  const { quick, slow } = RECEIVERS
  return deliveries * ((1 - slow.share) * mean(quick) + slow.share * mean(slow))
}

function mean({ median, spread }: { median: number; spread: number }): number {
  return median * Math.exp(spread ** 2 / 2)
}
