import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { type Claim, type Claimed, claimDeliveries, type Health } from '../../src/domain/deliveries/claim-store.ts'
import { acceptEvents } from '../../src/domain/deliveries/event-store.ts'
import { type AttemptResult, verdictOf } from '../../src/domain/deliveries/retry-schedule.ts'
import { type Attempted, settleDeliveries } from '../../src/domain/deliveries/settle-store.ts'
import { connectApplication, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { type Db, type DbOrTransaction, openDatabase } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { createTestDatabase } from './test-database.ts'

const AUDIENCES = { production: 'urn:handover:api:production', sandbox: 'urn:handover:api:sandbox' }

/** The queue alone: webhooks that nobody calls, and everything that intake and workers do to it. */
export type ClaimingScene = {
  db: Db
  /** Has a facility of its own, so that an event can be meant for it alone. */
  webhook: (limits?: { perSecond?: number; atOnce?: number }) => Promise<QueuedWebhook>
  /** So many events for the webhook, in a transaction of their own or in this one. Answers their ids. */
  accept: (webhook: QueuedWebhook, count?: number, tx?: DbOrTransaction) => Promise<string[]>
  claim: (more?: { db?: Db; health?: Health; webhooks?: number }) => Promise<Claimed>
  /** By a claim that finds something, within the time. */
  claimSoon: (withinMs: number) => Promise<Claim[]>
  settle: (claims: readonly Claim[], result?: AttemptResult) => Promise<Set<string>>
  /** A pool of its own, as another process would have. */
  pool: (connections: number) => Db
  stop: () => Promise<void>
}

export type QueuedWebhook = { id: string; facilityId: string }

export const SUCCESS: AttemptResult = { status: 204, retryAfterSeconds: null }
export const FAILURE: AttemptResult = { error: 'timeout' }

export async function startClaimingScene(settings: Record<string, string> = {}): Promise<ClaimingScene> {
  const database = await createTestDatabase()
  const { db } = database
  for (const [name, value] of Object.entries(settings))
    await db.unsafe(`alter database ${db.options.database} set ${name} = '${value}'`)
  const pools: Db[] = []
  const pool = (connections: number) => {
    const made = openDatabase({ url: database.url }, { prepare: true, poolSize: connections })
    pools.push(made)
    return made
  }
  const ours = pool(10)
  const cipher = createCipher(Buffer.alloc(32, 5))
  const applicationId = newId('app')
  await insertApplication(ours, newApplication({ id: applicationId, name: 'Queue', type: 'machine' }))

  const scene: ClaimingScene = {
    db: ours,
    pool,

    async webhook({ perSecond = 1_000_000, atOnce = 10 } = {}) {
      const id = newId('whk')
      const facilityId = await addFacility(ours, applicationId)
      const made = await insertWebhook(
        ours,
        cipher,
        {
          id,
          kind: 'facility',
          environment: 'sandbox',
          applicationId,
          userId: null,
          url: 'http://127.0.0.1:9/',
          events: ['all'],
          facilities: [facilityId],
          secrets: ['a secret'],
        },
        1_000_000,
      )
      assert.ok(made)
      await ours`
        update webhook_schedules set per_second = ${perSecond}, at_once = ${atOnce}, level = ${Math.max(1, perSecond / 10)}
        where webhook_id = ${id}`
      return { id, facilityId }
    },

    async accept({ facilityId }, count = 1, tx) {
      const events = Array.from({ length: count }, () => ({
        environment: 'sandbox' as const,
        id: newId('evt'),
        type: 'shift.created',
        subject: { facilityId },
        occurredAt: null,
        data: '{}',
        test: false,
      }))
      const work = (within: DbOrTransaction) => acceptEvents(within, AUDIENCES.sandbox, 'sandbox', events)
      const intake = await (tx === undefined ? transaction(ours, work) : work(tx))
      assert.equal(intake.outcome, 'accepted')
      return events.map(({ id }) => id)
    },

    claim: ({ db: through = ours, health = 'well', webhooks = 64 } = {}) =>
      claimDeliveries(through, AUDIENCES, { webhooks, health }),

    async claimSoon(withinMs) {
      const until = performance.now() + withinMs
      while (performance.now() < until)
        for (const health of ['well', 'failing'] as const) {
          const { claims } = await scene.claim({ health })
          if (claims.length > 0) return claims
        }
      return []
    },

    settle: (claims, result = SUCCESS) =>
      settleDeliveries(
        ours,
        claims.map((claim) => attempted(claim, result)),
      ),

    async stop() {
      await Promise.all(pools.map((each) => each.end({ timeout: 1 })))
      await database.drop()
    },
  }
  return scene
}

/** An attempt that came to this, without jitter. */
export function attempted(claim: Claim, result: AttemptResult): Attempted {
  return {
    claim,
    verdict: verdictOf(result, claim.tries + 1, 0),
    startedAt: new Date(),
    durationMs: 1,
    status: 'status' in result ? result.status : null,
    error: 'error' in result ? result.error : null,
    message: 'error' in result ? 'It failed' : null,
    responseHead: null,
    responseBody: null,
  }
}

/** A sandbox facility that the application is connected to. */
export async function addFacility(db: Db, applicationId: string): Promise<string> {
  const id = `fac_${randomBytes(6).toString('hex')}`
  await upsertFacility(db, { environment: 'sandbox', id, name: id, city: null, state: null })
  await connectApplication(db, { environment: 'sandbox', id }, applicationId)
  return id
}
