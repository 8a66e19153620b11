import type { DbOrTransaction } from '../../platform/db.ts'
import { idsBetween } from './delivery-id.ts'
import type { Replay, ReplayableState, ReplayRange } from './replay.ts'

type ReplayRow = {
  id: string
  created_from: Date
  created_until: Date
  states: ReplayableState[]
  total: number
  queued: number
  created_at: Date
  finished_at: Date | null
  cancelled_at: Date | null
}

/** How many deliveries of a webhook fit at this moment. */
export async function countReplayable(db: DbOrTransaction, webhookId: string, range: ReplayRange): Promise<number> {
  const [row] = await db<Array<{ count: number }>>`
    select (
      (select count(*) from finished_deliveries where ${finishedIn(db, webhookId, range)})
      + (select count(*) from deliveries where ${keptIn(db, webhookId, range)}))::int as count`
  return row?.count ?? 0
}

/**
 * Null while another one runs. The webhook is held by the caller, so nobody else begins one at the same moment. What is yet
 * to be made is no part of it: it would be sent twice as it comes.
 */
export async function beginReplay(
  tx: DbOrTransaction,
  replay: ReplayRange & { id: string; webhookId: string; total: number },
): Promise<Replay | null> {
  const { id, webhookId, from, to, states, total } = replay
  const [row] = await tx<ReplayRow[]>`
    insert into replays (id, webhook_id, created_from, created_until, states, total)
    select ${id}, ${webhookId}, ${from}::timestamptz,
      greatest(${from}::timestamptz, least(${to}::timestamptz, now())), ${states}::text[], ${total}
    where not exists (select 1 from replays where webhook_id = ${webhookId} and finished_at is null)
    returning ${columns(tx)}`
  return row === undefined ? null : fromRow(row)
}

export async function findReplay(db: DbOrTransaction, webhookId: string, id: string): Promise<Replay | null> {
  const [row] = await db<ReplayRow[]>`
    select ${columns(db)} from replays where webhook_id = ${webhookId} and id = ${id}`
  return row === undefined ? null : fromRow(row)
}

/** Newest first. */
export async function listReplays(
  db: DbOrTransaction,
  webhookId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<Replay[]> {
  const rows = await db<ReplayRow[]>`
    select ${columns(db)} from replays
    where webhook_id = ${webhookId} ${before === null ? db`` : db`and id < ${before}`}
    order by id desc limit ${limit}`
  return rows.map(fromRow)
}

/** What was taken up is sent; nothing more is taken up. Null when it does not run. */
export async function cancelReplay(tx: DbOrTransaction, webhookId: string, id: string): Promise<Replay | null> {
  const [row] = await tx<ReplayRow[]>`
    update replays set cancelled_at = now(), finished_at = now()
    where webhook_id = ${webhookId} and id = ${id} and finished_at is null
    returning ${columns(tx)}`
  return row === undefined ? null : fromRow(row)
}

/** What a replay takes from the finished deliveries. */
export function finishedIn(db: DbOrTransaction, webhookId: string, range: ReplayRange) {
  return db`${made(db, webhookId, range)} and state = any(${range.states})`
}

/** And from those that were kept. */
export function keptIn(db: DbOrTransaction, webhookId: string, range: ReplayRange) {
  return db`${made(db, webhookId, range)} and state = 'held' and state = any(${range.states}) and not manual`
}

function made(db: DbOrTransaction, webhookId: string, { from, to }: ReplayRange) {
  const { first, beyond } = idsBetween(from, to)
  return db`
    webhook_id = ${webhookId} and id >= ${first} and id < ${beyond} and created_at >= ${from} and created_at < ${to}`
}

function columns(db: DbOrTransaction) {
  return db`id, created_from, created_until, states, total, queued, created_at, finished_at, cancelled_at`
}

function fromRow(row: ReplayRow): Replay {
  return {
    id: row.id,
    from: row.created_from,
    to: row.created_until,
    states: row.states,
    state: row.cancelled_at !== null ? 'cancelled' : row.finished_at === null ? 'running' : 'done',
    total: row.total,
    queued: row.queued,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
