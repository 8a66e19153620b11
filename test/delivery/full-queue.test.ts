import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Claim, claimDeliveries } from '../../src/domain/deliveries/claim-store.ts'
import { extendLeases, markSent } from '../../src/domain/deliveries/lease-store.ts'
import { settleDeliveries } from '../../src/domain/deliveries/settle-store.ts'
import { standingClaims } from '../../src/domain/deliveries/standing-store.ts'
import { attempted, FAILURE, SUCCESS, startClaimingScene } from '../harness/claiming-scene.ts'

const AUDIENCES = { production: 'urn:handover:api:production', sandbox: 'urn:handover:api:sandbox' }
const QUEUED = 3_000
/** What the few that are claimed may cost, the looks at the ends of indexes included. */
const FEW = 300

// One connection, whose plans and counts are then known.
const scene = await startClaimingScene()
const db = scene.pool(1)
after(scene.stop)

async function claimed(): Promise<Claim[]> {
  for (let count = 0; count < 3; count += 1) await scene.accept(await scene.webhook(), 2)
  const { claims } = await claimDeliveries(db, AUDIENCES, { webhooks: 20, health: 'well' })
  assert.equal(claims.length, 6)
  return claims
}

const settle = (claims: readonly Claim[]) =>
  settleDeliveries(
    db,
    claims.map((claim, position) => attempted(claim, position % 2 === 0 ? SUCCESS : FAILURE)),
  )

/** Rows of the queue that were read, by whichever plan. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await db`select pg_stat_force_next_flush()`
    const [row] = await db<Array<{ read: number }>>`
      select (seq_tup_read + idx_tup_fetch)::float8 as read from pg_stat_user_tables where relname = 'deliveries'`
    return row?.read ?? 0
  }
  const start = await count()
  await work()
  return (await count()) - start
}

before(async () => {
  await db`vacuum analyze deliveries`
  // Often enough that PostgreSQL keeps the plan, which it makes for a queue that it knows as empty.
  for (let turn = 0; turn < 7; turn += 1) {
    const claims = await claimed()
    await markSent(db, claims)
    await extendLeases(db, claims)
    await standingClaims(db, AUDIENCES, claims)
    await settle(claims)
  }
  const other = await scene.webhook()
  await db`
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, due_at)
    select new_id('dlv'), ${other.id}, 'sandbox', now()::date, 'evt_' || n, 'shift.created', now() + interval '1 hour'
    from generate_series(1, ${QUEUED}::int) as n`
})

test('what a worker reads does not grow with the queue, though the queue was empty when its plans were made', async () => {
  let claims: Claim[] = []
  const work: Array<[string, () => Promise<unknown>]> = [
    ['claim', async () => (claims = await claimed())],
    ['note that requests have left', () => markSent(db, claims)],
    ['keep leases', () => extendLeases(db, claims)],
    ['ask whether claims stand', async () => assert.equal((await standingClaims(db, AUDIENCES, claims)).size, 6)],
    ['settle', async () => assert.equal((await settle(claims)).size, 6)],
  ]
  for (const [what, carryOut] of work) {
    const rows = await rowsRead(carryOut)
    assert.ok(rows < FEW, `to ${what} reads ${rows} rows of the queue`)
  }
})
