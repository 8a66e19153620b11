import { randomUUID } from 'node:crypto'
import { type Claim, claimDeliveries } from '../../src/domain/deliveries/claim-store.ts'
import type { NewEvent } from '../../src/domain/deliveries/event.ts'
import { acceptEvents } from '../../src/domain/deliveries/event-store.ts'
import { markSent } from '../../src/domain/deliveries/lease-store.ts'
import { verdictOf } from '../../src/domain/deliveries/retry-schedule.ts'
import { settleDeliveries } from '../../src/domain/deliveries/settle-store.ts'
import type { Audiences } from '../../src/domain/tokens/audience.ts'
import type { Db } from '../../src/platform/db.ts'
import { retriedTransaction } from '../../src/platform/retried-transaction.ts'
import { facilityOf, WEBHOOKS } from '../delivery/scene.ts'

const AUDIENCES: Audiences = { production: 'urn:costs:production', sandbox: 'urn:costs:sandbox' }
/** As the receiver of `npm run bench -- delivery` answers. */
const HEAD = 'content-length: 0\ndate: Sun, 15 Nov 2026 08:00:00 GMT\nconnection: keep-alive\nkeep-alive: timeout=5'

/** One event after the other goes to the next group of webhooks, from the given one on. */
export function eventsFor(fanOut: number, count: number, groups: number, from: number): NewEvent[] {
  return Array.from({ length: count }, (_, number) => {
    const id = randomUUID()
    const data = JSON.stringify({ shiftId: id, startsAt: '2026-11-20T06:00:00Z', note: 'x'.repeat(200) })
    const group = (from + (number % groups)) % (WEBHOOKS / fanOut)
    const subject = { facilityId: facilityOf(fanOut, group) }
    return { id, environment: 'sandbox', type: 'shift.created', subject, occurredAt: null, data, test: false }
  })
}

/** As the platform API does. */
export async function publish(db: Db, events: readonly NewEvent[], reaches: number): Promise<void> {
  const intake = await retriedTransaction(db, (tx) => acceptEvents(tx, AUDIENCES.sandbox, 'sandbox', events))
  const told = intake.outcome === 'accepted' ? intake.events : []
  expect(
    told.reduce((sum, { deliveries }) => sum + deliveries, 0),
    reaches,
    'reached',
  )
}

/** This and what follows as a worker does. */
export async function claim(db: Db, webhooks: number, deliveries: number): Promise<Claim[]> {
  const { claims } = await claimDeliveries(db, AUDIENCES, { webhooks, health: 'well' })
  expect(claims.length, deliveries, 'claimed')
  return claims
}

export async function mark(db: Db, claims: readonly Claim[]): Promise<void> {
  expect((await markSent(db, claims)).size, claims.length, 'marked as sent')
}

export async function settle(db: Db, claims: readonly Claim[]): Promise<void> {
  const verdict = verdictOf({ status: 200, retryAfterSeconds: null }, 1, 0)
  const attempted = { verdict, startedAt: new Date(), durationMs: 1, status: 200, error: null, message: null }
  const answered = { ...attempted, responseHead: HEAD, responseBody: Buffer.alloc(0) }
  const settled = await settleDeliveries(
    db,
    claims.map((each) => ({ ...answered, claim: each })),
  )
  expect(settled.size, claims.length, 'settled')
}

/** Nobody is due, as long after everything was sent. */
export async function sleepAll(db: Db): Promise<void> {
  await db`update webhook_schedules set due_at = 'infinity' where due_at < 'infinity'`
}

/** Webhooks with nothing to send, as when the lease of their last delivery has ended. */
export async function wakeInVain(db: Db, webhooks: number): Promise<void> {
  await db`
    update webhook_schedules set due_at = now()
    where webhook_id in (select webhook_id from webhook_schedules order by webhook_id limit ${webhooks})`
}

export async function throwAway(db: Db): Promise<void> {
  await db`delete from deliveries`
}

/** What measures something else than it says measures nothing. */
function expect(count: number, expected: number, what: string): void {
  if (count !== expected) throw new Error(`${count} ${what}, not ${expected}`)
}
