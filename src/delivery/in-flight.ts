import type { Claim } from '../domain/deliveries/claim-store.ts'
import { extendLeases, markSent } from '../domain/deliveries/lease-store.ts'
import type { Db } from '../platform/db.ts'
import { startPeriodic } from '../platform/periodic.ts'

/** What this process is sending at the moment. */
export type InFlight = {
  size: () => number
  /** How many of them go to webhooks whose last attempt failed. */
  failing: () => number
  add: (claim: Claim) => void
  /** The request of this one has left. */
  left: (claim: Claim) => void
  remove: (claim: Claim) => void
  claims: () => Claim[]
  stop: () => Promise<void>
}

type Flight = { since: number; left: boolean; marked: boolean }

/** Most attempts are over before this, and then nothing has to be written about their having left. */
const MARK_EVERY_MS = 250
const HEARTBEAT_MS = 5_000

export function trackInFlight(db: Db, failed: (error: unknown) => void): InFlight {
  /** By the claim and not by its delivery, which can be claimed again while a lost lease's request is still open. */
  const flights = new Map<Claim, Flight>()
  let failing = 0

  const marking = startPeriodic(
    MARK_EVERY_MS,
    async () => {
      const unmarked = [...flights].filter(([, { left, marked }]) => left && !marked)
      if (unmarked.length === 0) return
      const claims = unmarked.map(([claim]) => claim)
      const sent = await markSent(db, claims)
      for (const [claim, flight] of unmarked) flight.marked = sent.has(claim.id)
    },
    failed,
  )
  const heartbeat = startPeriodic(
    HEARTBEAT_MS,
    async () => {
      const old = [...flights].filter(([, { since }]) => performance.now() - since > HEARTBEAT_MS / 2)
      const claims = old.map(([claim]) => claim)
      if (claims.length > 0) await extendLeases(db, claims)
    },
    failed,
  )

  return {
    size: () => flights.size,
    failing: () => failing,
    add(claim) {
      flights.set(claim, { since: performance.now(), left: false, marked: false })
      if (claim.failing) failing += 1
    },
    left(claim) {
      const flight = flights.get(claim)
      if (flight !== undefined) flight.left = true
    },
    remove(claim) {
      if (flights.delete(claim) && claim.failing) failing -= 1
    },
    claims: () => [...flights.keys()],
    stop: async () => {
      await Promise.all([marking.stop(), heartbeat.stop()])
    },
  }
}
