import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { idsBetween } from './delivery-id.ts'
import { type ReplayableState, type ReplayRange, roomForReplay } from './replay.ts'
import { finishedIn, keptIn } from './replay-list-store.ts'
import { RETENTION_DAYS } from './retention-store.ts'
import { holdSchedule, wakeNow } from './schedule-store.ts'

/** So many replays have their turn each time; when more run, chance decides which. */
const MOST_AT_A_TIME = 200
/** So many deliveries are looked at in a step: where few fit, finding them takes several. */
const MOST_LOOKED_AT = 20_000

/** One step of every replay that runs (decision D9); answers how many deliveries were taken up. */
export async function stepReplays(db: Db): Promise<number> {
  const running = await db<Array<{ id: string; webhook_id: string }>>`
    select id, webhook_id from replays where finished_at is null order by random() limit ${MOST_AT_A_TIME}`
  let queued = 0
  for (const { id, webhook_id } of running)
    queued += await retriedTransaction(db, (tx) => step(tx, { id, webhookId: webhook_id }))
  return queued
}

const FORGOTTEN_AT_ONCE = 500

/** What a replay sent is forgotten after this time, and then the replay says nothing to anybody (decision D10). */
export async function forgetOldReplays(db: Db): Promise<void> {
  // By id, which is by time: the oldest stand in front, and only those that still run are passed over.
  await db`
    delete from replays where id in (
      select id from replays where finished_at < now() - make_interval(days => ${RETENTION_DAYS})
      order by id limit ${FORGOTTEN_AT_ONCE})`
}

type RunningReplay = {
  created_from: Date
  created_until: Date
  states: ReplayableState[]
  cursor: string
  per_second: number
}

/** Holding the schedule keeps claims and resends by hand away, so a delivery is never taken up twice. */
async function step(tx: DbOrTransaction, { id, webhookId }: { id: string; webhookId: string }): Promise<number> {
  await holdSchedule(tx, webhookId)
  const [replay] = await tx<RunningReplay[]>`
    select created_from, created_until, states, cursor, per_second
    from replays join webhook_schedules using (webhook_id) join webhooks on webhooks.id = webhook_id
    where replays.id = ${id} and finished_at is null and disabled_because is null
    for update of replays skip locked`
  if (replay === undefined) return 0
  const waiting = await countWaiting(tx, webhookId, 2 * replay.per_second)
  const room = roomForReplay({ perSecond: replay.per_second, waiting })
  if (room === 0) return 0

  const range = { from: replay.created_from, to: replay.created_until, states: replay.states }
  const horizon = await lookAhead(tx, webhookId, range, replay.cursor)
  const { queued, last } = await takeUp(tx, webhookId, range, { after: replay.cursor, until: horizon, limit: room })
  const isOver = queued < room && horizon === null
  const cursor = (queued < room ? horizon : last) ?? replay.cursor
  await tx`
    update replays set queued = queued + ${queued}, cursor = ${cursor},
      finished_at = case when ${isOver ? 1 : 0} = 1 then now() end
    where id = ${id}`
  if (queued > 0) await wakeNow(tx, webhookId)
  return queued
}

/** What is due or under way; what waits for a retry later on stands in nobody's way. */
async function countWaiting(tx: DbOrTransaction, webhookId: string, most: number): Promise<number> {
  const [row] = await tx<Array<{ count: number }>>`
    select count(*)::int as count from (
      select 1 from deliveries where webhook_id = ${webhookId} and state = 'pending' and due_at <= now()
      limit ${most}
    ) as waiting`
  return row?.count ?? 0
}

/** The id up to which a step looks; null for the end. */
async function lookAhead(
  tx: DbOrTransaction,
  webhookId: string,
  range: ReplayRange,
  after: string,
): Promise<string | null> {
  const { first, beyond } = idsBetween(range.from, range.to)
  const [row] = await tx<Array<{ id: string }>>`
    select id from finished_deliveries
    where webhook_id = ${webhookId} and id > ${after} and id >= ${first} and id < ${beyond}
    order by id offset ${MOST_LOOKED_AT} limit 1`
  return row?.id ?? null
}

/** Moved, not copied: each keeps its id and the numbers of its attempts, and begins its retries anew. */
async function takeUp(
  tx: DbOrTransaction,
  webhookId: string,
  range: ReplayRange,
  { after, until, limit }: { after: string; until: string | null; limit: number },
): Promise<{ queued: number; last: string | null }> {
  const ahead = tx`and id > ${after} ${until === null ? tx`` : tx`and id <= ${until}`}`
  const [row] = await tx<Array<{ queued: number; last: string | null }>>`
    with finished as (
      select day, id from finished_deliveries where ${finishedIn(tx, webhookId, range)} ${ahead}
        -- One that is being sent by hand stays what it is.
        and not exists (select 1 from deliveries where deliveries.id = finished_deliveries.id)
      order by id limit ${limit}
    ), kept as (
      select day, id from deliveries where ${keptIn(tx, webhookId, range)} ${ahead}
        and (leased_until is null or leased_until <= now())
      order by id limit ${limit}
    ), chosen as (
      select * from (select * from finished union all select * from kept) as both_kinds order by id limit ${limit}
    ), moved as (
      delete from finished_deliveries as gone using chosen
      where gone.webhook_id = ${webhookId} and gone.day = chosen.day and gone.id = chosen.id
      returning gone.*
    ), queued as (
      insert into deliveries (id, webhook_id, environment, day, event_id, event_type, directed, attempts, created_at)
      select id, webhook_id, environment, day, event_id, event_type, directed, attempts, created_at from moved
    ), freed as (
      update deliveries set state = 'pending', due_at = clock_timestamp(), tries = 0
      from chosen where deliveries.id = chosen.id and deliveries.state = 'held'
    )
    select count(*)::int as queued, max(id) as last from chosen`
  return row ?? { queued: 0, last: null }
}
