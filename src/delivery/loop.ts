import { type Claim, claimDeliveries, type Health, MOST_OF_ONE } from '../domain/deliveries/claim-store.ts'
import { postponeClaim, releaseClaims } from '../domain/deliveries/lease-store.ts'
import type { Attempted } from '../domain/deliveries/settle-store.ts'
import { standingClaims } from '../domain/deliveries/standing-store.ts'
import type { Audiences } from '../domain/tokens/audience.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { Withdrawn } from '../platform/safe-request/safe-agent.ts'
import { within } from '../platform/within.ts'
import { attempt, opener, type SecretsOf, type Sender } from './attempt.ts'
import { gathered } from './gathered.ts'
import { trackInFlight } from './in-flight.ts'
import { createSettler } from './settle.ts'

export type LoopParts = {
  db: Db
  audiences: Audiences
  cipher: Cipher
  sender: Sender
  /** Told of every attempt, and whether it counted. */
  observe: (attempted: Attempted, counted: boolean) => void
  failed: (what: string, error: unknown) => void
}

export type DeliveryLoop = {
  /** Something may be due. */
  wake: () => void
  alive: () => boolean
  stop: () => Promise<void>
}

/** Requests at once, and how many of them to webhooks that fail (decision D6). */
export const MOST_AT_ONCE = 1_000
export const MOST_FAILING = MOST_AT_ONCE / 2
/** So that what is claimed is also on its way at once, and the next claim sees how it went. */
export const MOST_WEBHOOKS = 20

/** Rings can get lost, so it looks by itself as well. */
export const LOOK_EVERY_MS = 500
/** After a look that found nothing although something was due: others are at it. */
const SHORTEST_PAUSE_MS = 5
/** Deleting or disabling a webhook waits a second for claims that are not sent yet; older ones are not sent unasked. */
const FRESH_MS = 500
/** How long questions about single claims wait for each other. */
const GATHER_MS = 5
const STALLED_AFTER_MS = 30_000
const STOP_PATIENCE_MS = 2_000

/** Claims what is due, sends it, settles it, for ever. Any number of processes may do so at once. */
export function startDeliveryLoop({ db, audiences, cipher, sender, observe, failed }: LoopParts): DeliveryLoop {
  const inFlight = trackInFlight(db, (error) => failed('leases could not be extended', error))
  const settler = createSettler(
    db,
    (attempted, counted) => {
      inFlight.remove(attempted.claim)
      if (attempted.verdict.outcome.kind !== 'delivered' || attempted.claim.failing) lookAtFailing = 0
      if (!counted) postpone(attempted.claim)
      observe(attempted, counted)
      wake()
    },
    (error) => failed('attempts could not be settled', error),
  )
  const stopping = new AbortController()
  let lookBegan: number | null = null
  /** Not at every look: a webhook begins to fail here, and then it is known, or elsewhere, and half a second is soon enough. */
  let lookAtFailing = 0
  let alarm = Promise.withResolvers<void>()

  function wake(): void {
    alarm.resolve()
  }

  /** What cannot be given back waits for the end of its lease. */
  function release(claims: Claim[]): Promise<void> {
    return releaseClaims(db, claims).catch((error: unknown) => failed('claims could not be released', error))
  }

  /** Of one whose lease is another's by now, nothing is changed. */
  function postpone(claim: Claim): void {
    postponeClaim(db, claim).catch((error: unknown) => failed('a claim could not be postponed', error))
  }

  /** Those that may still be sent; the others are given back. Empty as well when the answer took too long to be true. */
  async function standing(claims: Claim[]): Promise<Claim[]> {
    const asked = performance.now()
    const found = await standingClaims(db, audiences, claims)
    const isCurrent = performance.now() - asked <= FRESH_MS
    const stands = ({ id }: Claim) => isCurrent && found.has(id)
    void release(claims.filter((claim) => !stands(claim)))
    return claims.filter(stands)
  }

  const stillStands = gathered<Claim>(GATHER_MS, (claims) => standing(claims).catch(() => []))

  async function send(claim: Claim, secretsOf: SecretsOf, clock: Clock, since: number): Promise<void> {
    const isFresh = () => performance.now() - since <= FRESH_MS
    const stands = async () => isFresh() || (await stillStands(claim))
    try {
      settler.add(await attempt(sender, claim, secretsOf, clock, { stands, left: () => inFlight.left(claim) }))
    } catch (error) {
      inFlight.remove(claim)
      if (error instanceof Withdrawn) return
      // A fault of ours, such as a secret that cannot be opened.
      failed('an attempt could not be made', error)
      postpone(claim)
    }
  }

  /** Answers how long there is nothing to do for webhooks that are well, or for those that fail. */
  async function look(health: Health, room: number): Promise<number> {
    const webhooks = Math.min(Math.floor(room / MOST_OF_ONE), MOST_WEBHOOKS)
    if (webhooks <= 0) return LOOK_EVERY_MS
    let since = performance.now()
    const { claims, databaseTime, nextInMs } = await claimDeliveries(db, audiences, { webhooks, health })
    const answered = performance.now()
    let current = claims
    if (claims.length > 0 && answered - since > FRESH_MS) {
      since = answered
      current = await standing(claims)
    }
    const clock = () => new Date(databaseTime.getTime() + performance.now() - answered)
    const secretsOf = opener(cipher)
    for (const claim of current) {
      inFlight.add(claim)
      void send(claim, secretsOf, clock, since)
    }
    if (claims.length > 0) return 0
    return Math.min(LOOK_EVERY_MS, Math.max(SHORTEST_PAUSE_MS, nextInMs ?? LOOK_EVERY_MS))
  }

  /** Those that fail wait for answers that may never come, so they get a share of the room and no more. */
  async function lookEverywhere(): Promise<number> {
    const well = await look('well', MOST_AT_ONCE - inFlight.size())
    const untilFailing = lookAtFailing - performance.now()
    if (untilFailing > 0) return Math.min(well, untilFailing)
    const room = Math.min(MOST_FAILING - inFlight.failing(), MOST_AT_ONCE - inFlight.size())
    const failing = await look('failing', room)
    lookAtFailing = performance.now() + failing
    return Math.min(well, failing)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      alarm = Promise.withResolvers()
      lookBegan = performance.now()
      const pauseMs = await lookEverywhere().catch((error: unknown) => {
        failed('what is due could not be claimed', error)
        return LOOK_EVERY_MS
      })
      lookBegan = null
      if (pauseMs === 0) continue
      const timer = setTimeout(wake, pauseMs)
      await alarm.promise
      clearTimeout(timer)
    }
  }

  const running = run()
  return {
    wake,
    alive: () => lookBegan === null || performance.now() - lookBegan < STALLED_AFTER_MS,
    async stop() {
      stopping.abort()
      wake()
      await running
      const landed = async () => {
        while (inFlight.size() > 0) {
          alarm = Promise.withResolvers()
          await alarm.promise
        }
      }
      await within(STOP_PATIENCE_MS, 'Attempts under way', landed()).catch(() => {})
      await Promise.all([inFlight.stop(), settler.stop()])
      // What has not been answered by now is cut, and somebody else's to send again, at once and without counting.
      await sender.agent.close()
      await release(inFlight.claims())
    },
  }
}
