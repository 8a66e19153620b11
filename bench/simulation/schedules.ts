import { LEASE_SECONDS, MOST_OF_ONE } from '../../src/domain/deliveries/claim-store.ts'
import { CIRCUIT_FAILURES, PROBE_SECONDS } from '../../src/domain/deliveries/schedule-store.ts'
import type { Population } from './population.ts'
import type { Deliveries } from './queue.ts'

/**
 * What `webhook_schedules` keeps of every webhook and the claim's rules about it, as numbers: the cap, the rate's bucket, the
 * circuit and its probes, and when it is looked at next (claim-store.ts `pick`, schedule-store.ts, settle-store.ts `noteHealth`).
 */
export type Schedules = {
  /** Something new or something to be tried again waits for the webhook. */
  push: (webhook: number, delivery: number, now: number) => void
  dueAt: (webhook: number) => number
  isFailing: (webhook: number) => boolean
  waiting: (webhook: number) => number
  /** Takes what may be sent now. */
  take: (webhook: number, now: number) => number[]
  settled: (webhook: number, isSuccess: boolean, now: number) => void
  /** Told whenever a webhook is to be looked at at another moment. */
  onDue: (told: (webhook: number, at: number) => void) => void
}

/** claim-store.ts FULL_SECONDS, and the bucket of schedule-store.ts `burst` and `refill`. */
const FULL_SECONDS = 0.25
const BURST = 0.1
const REFILL = 0.9

function nobody(_webhook: number, _at: number): void {}

export function createSchedules({ size, perSecond, atOnce }: Population, deliveries: Deliveries): Schedules {
  const due = new Float64Array(size).fill(Infinity)
  const flying = new Uint16Array(size)
  const waiting = new Int32Array(size)
  const first = new Int32Array(size).fill(-1)
  const last = new Int32Array(size).fill(-1)
  const level = Float64Array.from(perSecond, (rate) => Math.max(1, rate * BURST))
  const levelAt = new Float64Array(size)
  const failures = new Uint32Array(size)
  const probeAt = new Float64Array(size)
  const capped = new Uint8Array(size)
  let tell = nobody

  function setDue(webhook: number, at: number): void {
    due[webhook] = at
    if (at < Infinity) tell(webhook, at)
  }

  function isBroken(webhook: number): boolean {
    return (failures[webhook] ?? 0) >= CIRCUIT_FAILURES
  }

  function levelNow(webhook: number, now: number): number {
    const rate = perSecond[webhook] ?? 1
    const filled = (level[webhook] ?? 0) + rate * REFILL * (now - (levelAt[webhook] ?? 0))
    return Math.min(Math.max(1, rate * BURST), filled)
  }

  function placesOf(webhook: number, now: number, full: number): number {
    if (isBroken(webhook)) return flying[webhook] === 0 && (probeAt[webhook] ?? 0) <= now ? 1 : 0
    return Math.max(0, Math.min((atOnce[webhook] ?? 1) - (flying[webhook] ?? 0), Math.floor(full), MOST_OF_ONE))
  }

  function nextLook(webhook: number, now: number, taken: number, full: number): number {
    const isMore = (waiting[webhook] ?? 0) > 0
    if (isBroken(webhook))
      return taken > 0 ? now + PROBE_SECONDS : isMore ? Math.max(probeAt[webhook] ?? 0, now + 1) : Infinity
    if (isMore && (flying[webhook] ?? 0) >= (atOnce[webhook] ?? 1)) {
      capped[webhook] = 1
      return now + FULL_SECONDS
    }
    const rate = perSecond[webhook] ?? 1
    if (isMore && full < 1) return now + (Math.max(1, rate * BURST * 0.8) - full) / (rate * REFILL)
    if (isMore) return now
    return taken > 0 ? now + LEASE_SECONDS : Infinity
  }

  return {
    dueAt: (webhook) => due[webhook] ?? Infinity,
    isFailing: (webhook) => (failures[webhook] ?? 0) > 0,
    waiting: (webhook) => waiting[webhook] ?? 0,
    onDue(told) {
      tell = told
    },
    push(webhook, delivery, now) {
      const before = last[webhook] ?? -1
      if (before === -1) first[webhook] = delivery
      else deliveries.setAfter(before, delivery)
      deliveries.setAfter(delivery, -1)
      last[webhook] = delivery
      waiting[webhook] = (waiting[webhook] ?? 0) + 1
      const rate = (perSecond[webhook] ?? 1) * REFILL
      const byRate = (levelAt[webhook] ?? 0) + (1 - (level[webhook] ?? 0)) / rate
      const soonest = Math.max(now, isBroken(webhook) ? (probeAt[webhook] ?? 0) : 0, byRate)
      if (capped[webhook] === 0 && (due[webhook] ?? Infinity) > soonest) setDue(webhook, soonest)
    },
    take(webhook, now) {
      const full = levelNow(webhook, now)
      const taken: number[] = []
      for (let places = placesOf(webhook, now, full); places > 0 && (first[webhook] ?? -1) !== -1; places -= 1) {
        const delivery = first[webhook] ?? -1
        first[webhook] = deliveries.after(delivery)
        if (first[webhook] === -1) last[webhook] = -1
        taken.push(delivery)
      }
      waiting[webhook] = (waiting[webhook] ?? 0) - taken.length
      flying[webhook] = (flying[webhook] ?? 0) + taken.length
      level[webhook] = full - taken.length
      levelAt[webhook] = now
      capped[webhook] = 0
      if (isBroken(webhook) && taken.length > 0) probeAt[webhook] = now + PROBE_SECONDS
      setDue(webhook, nextLook(webhook, now, taken.length, full - taken.length))
      return taken
    },
    settled(webhook, isSuccess, now) {
      flying[webhook] = Math.max(0, (flying[webhook] ?? 0) - 1)
      const wasFailing = (failures[webhook] ?? 0) > 0
      failures[webhook] = isSuccess ? 0 : (failures[webhook] ?? 0) + 1
      if (!isSuccess && failures[webhook] === CIRCUIT_FAILURES) probeAt[webhook] = now + PROBE_SECONDS
      const isFreed = capped[webhook] === 1 || (isSuccess && wasFailing)
      capped[webhook] = 0
      if (isFreed && (waiting[webhook] ?? 0) > 0 && !isBroken(webhook)) setDue(webhook, now)
    },
  }
}
