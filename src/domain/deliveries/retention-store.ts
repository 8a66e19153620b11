import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { dropTables } from '../../platform/drop-tables.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { endDeliveries } from './finish-store.ts'

/** How long events, deliveries and attempts are kept (decision D10). */
export const RETENTION_DAYS = 30

const DAYS_AHEAD = 7
const STEP = 1_000
/** A turn that takes longer goes on with the next one: a worker is not held up by a large backlog. */
const TURN_MS = 5_000

/** Without its day an event cannot be stored, so every start and every worker makes sure of the days to come. */
export async function ensureDeliveryDays(db: Db): Promise<void> {
  await db`select ensure_delivery_days(${DAYS_AHEAD})`
}

/** What one turn came to. `dropped` are days, such as 2026-10-15. */
export type Kept = { expired: number; dropped: string[]; forgotten: number }

/**
 * First what still waits and is too old is ended as `failed: expired`, which stays to be read until its day goes; only then
 * days are dropped of which nothing waits any more, and the ids of their events become free. In small steps, one process at
 * a time; whatever is left over, or busy, is for the next turn.
 */
export async function keepRetention(db: Db, turnMs = TURN_MS): Promise<Kept> {
  const until = performance.now() + turnMs
  let expired = await repeated(until, () => expireStep(db, byAge))
  const old = await oldDays(db)
  if (old.size > 0) expired += await repeated(until, () => expireStep(db, byDay))
  const dropped: string[] = []
  const waiting = old.size > 0 ? await daysStillQueued(db) : new Set<string>()
  for (const [day, tables] of old) {
    if (waiting.has(day)) continue
    if (performance.now() > until) break
    const gone = await dropTables(db, tables)
    // Who was in the way of one day would be in the way of the next.
    if (gone === 'busy') break
    if (gone.length > 0) dropped.push(day)
  }
  const left = [...old.keys()].filter((day) => !dropped.includes(day))
  return { expired, dropped, forgotten: await repeated(until, () => forgetStep(db, left)) }
}

type Step = { found: number; done: number }

/** As long as there is a full step to do, it gets on, and there is time. */
async function repeated(until: number, step: () => Promise<Step>): Promise<number> {
  let total = 0
  while (performance.now() < until) {
    const { found, done } = await step()
    total += done
    if (found < STEP || done === 0) break
  }
  return total
}

type Candidates = (tx: DbOrTransaction) => PromiseLike<ReadonlyArray<{ id: string }>>

/** Ids sort by the time they were made, a little after `created_at`, so this reads nothing but what is too old. */
const byAge: Candidates = (tx) => tx<Array<{ id: string }>>`
  select id from deliveries
  where id < 'dlv_' || lpad(to_hex((extract(epoch from now() - make_interval(days => ${RETENTION_DAYS})) * 1000)::bigint), 12, '0')
    and (leased_until is null or leased_until <= now())
  order by id limit ${STEP}`

/** The whole queue is read, but only on the one occasion a day on which days are dropped. */
const byDay: Candidates = (tx) => tx<Array<{ id: string }>>`
  select id from deliveries where day < ${firstKeptDay(tx)} and (leased_until is null or leased_until <= now())
  limit ${STEP}`

function expireStep(db: Db, candidates: Candidates): Promise<Step> {
  return alone(db, async (tx) => {
    const ids = (await candidates(tx)).map(({ id }) => id)
    const done = ids.length === 0 ? 0 : await endDeliveries(tx, ids, { state: 'failed', because: 'expired' })
    return { found: ids.length, done }
  })
}

/** Days whose last moment is longer ago than we keep anything, with the tables that hold them. */
async function oldDays(db: Db): Promise<Map<string, string[]>> {
  const rows = await db<Array<{ name: string; day: string }>>`
    select name, day::text from (
      select relname as name, to_date(substring(relname from '_(\\d{8})$'), 'YYYYMMDD') as day
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = any(array['events', 'finished_deliveries', 'attempts']::regclass[])
    ) as tables where day < ${firstKeptDay(db)} order by day`
  const tables = Map.groupBy(rows, ({ day }) => day)
  return new Map([...tables].map(([day, named]) => [day, named.map(({ name }) => name)]))
}

async function daysStillQueued(db: Db): Promise<Set<string>> {
  const rows = await db<Array<{ day: string }>>`
    select distinct day::text from deliveries where day < ${firstKeptDay(db)}`
  return new Set(rows.map(({ day }) => day))
}

/** An id is good once for as long as its event is kept (decision D1). */
function forgetStep(db: Db, daysLeft: readonly string[]): Promise<Step> {
  return alone(db, async (tx) => {
    const { count } = await tx`
      delete from event_ids where (environment, id) in (
        select environment, id from event_ids
        where day < ${firstKeptDay(tx)} and day <> all(${daysLeft}::date[]) limit ${STEP})`
    return { found: count, done: count }
  })
}

/** Nothing is done while another process is at it. */
function alone(db: Db, step: (tx: DbOrTransaction) => Promise<Step>): Promise<Step> {
  return retriedTransaction(db, async (tx) => {
    const [lock] = await tx<[{ ours: boolean }]>`
      select pg_try_advisory_xact_lock(hashtextextended('delivery retention', 0)) as ours`
    return lock.ours ? step(tx) : { found: 0, done: 0 }
  })
}

function firstKeptDay(db: DbOrTransaction) {
  return db`(now() at time zone 'utc')::date - ${RETENTION_DAYS}::int`
}
