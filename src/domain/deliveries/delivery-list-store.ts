import { byItsKeys } from '../../platform/by-its-keys.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Delivery, DeliveryFilter, DeliveryState } from './delivery.ts'
import { type IdRange, idsBetween, isDeliveryId } from './delivery-id.ts'

/** Newest first. */
export type DeliveryPage = {
  deliveries: Delivery[]
  /** What came before this id was not looked at; null when everything was. */
  lookedUntil: string | null
}

/**
 * For one page so many rows are looked at and no more, in each table: a filter that nothing fits would otherwise read a
 * month of deliveries. The page is then shorter than it could be, and the next one goes on from there.
 */
const MOST_LOOKED_AT = 20_000
/** Fewer where the event of each is looked at, too. */
const MOST_EVENTS_LOOKED_AT = 5_000

type PageWanted = { before: string | null; limit: number }

/**
 * What is still to be sent and what is finished, as one list. A resend by hand is its finished delivery, not another one. By
 * one plan for all pages: to plan over the tables of all days takes four times as long as to look (decision record 98).
 */
export async function listDeliveries(
  db: Db,
  webhookId: string,
  filter: DeliveryFilter,
  page: PageWanted,
): Promise<DeliveryPage> {
  return transaction(db, (tx) => listDeliveriesIn(tx, webhookId, filter, page))
}

/** The same inside the caller's transaction. */
export async function listDeliveriesIn(
  tx: DbOrTransaction,
  webhookId: string,
  filter: DeliveryFilter,
  page: PageWanted,
): Promise<DeliveryPage> {
  const [, listed] = await Promise.all([byItsKeys(tx), list(tx, webhookId, filter, page)])
  return listed
}

async function list(
  db: DbOrTransaction,
  webhookId: string,
  filter: DeliveryFilter,
  { before, limit }: PageWanted,
): Promise<DeliveryPage> {
  const created = filter.eventId === null ? null : await whenAccepted(db, webhookId, filter.eventId)
  if (filter.eventId !== null && created === null) return { deliveries: [], lookedUntil: null }
  const { first, beyond } = created === null ? idsBetween(filter.from, filter.to) : idsBetween(created, created)
  const ids: IdRange = { first, beyond: before !== null && (beyond === null || before < beyond) ? before : beyond }

  const isSifted = filter.state !== null || filter.type !== null || filter.subjectId !== null
  const most = filter.subjectId === null ? MOST_LOOKED_AT : MOST_EVENTS_LOOKED_AT
  const lookedUntil = isSifted ? await horizon(db, webhookId, ids, most) : null
  const wanted = db`${ofWebhook(db, webhookId, { ...ids, first: lookedUntil ?? first })} ${sieve(db, filter)}`
  const rows = await shownRows(db, webhookId, {
    waiting: db`${wanted} ${ofState(db, filter.state, shownState(db))}`,
    finished: db`${wanted} ${ofState(db, filter.state, db`delivery.state`)}`,
    subjectId: filter.subjectId,
    limit,
  })
  return { deliveries: rows.map(fromRow), lookedUntil: rows.length < limit ? lookedUntil : null }
}

/** One of this webhook's, with the body that is sent; null when there is none. */
export async function findDelivery(
  db: DbOrTransaction,
  webhookId: string,
  id: string,
): Promise<(Delivery & { body: string }) | null> {
  if (!isDeliveryId(id)) return null
  const itself = db`delivery.webhook_id = ${webhookId} and delivery.id = ${id}`
  const asked = { waiting: itself, finished: itself, subjectId: null, limit: 1, withBody: true }
  const [row] = await shownRows(db, webhookId, asked)
  return row === undefined ? null : { ...fromRow(row), body: row.body ?? '' }
}

/** The delivery that this event made for this webhook a moment ago. */
export async function newestDeliveryOf(
  tx: DbOrTransaction,
  webhookId: string,
  eventId: string,
): Promise<string | null> {
  const [row] = await tx<Array<{ id: string }>>`
    select id from deliveries where webhook_id = ${webhookId} and event_id = ${eventId} order by id desc limit 1`
  return row?.id ?? null
}

type DeliveryRow = {
  id: string
  event_id: string
  event_type: string
  facility_id: string | null
  user_id: string | null
  state: DeliveryState
  because: string | null
  attempts: number
  created_at: Date
  due_at: Date | null
  finished_at: Date | null
  body: string | null
}

type Fragment = ReturnType<typeof shownState>
type Asked = {
  waiting: Fragment
  finished: Fragment
  subjectId: string | null
  limit: number
  withBody?: boolean
}

/** Both tables in one statement, because a delivery can move from one to the other at any moment. */
async function shownRows(db: DbOrTransaction, webhookId: string, asked: Asked): Promise<DeliveryRow[]> {
  const { waiting, finished, subjectId, limit, withBody = false } = asked
  return db<DeliveryRow[]>`
    with webhook as materialized (
      select case when disabled_because is not null then 'webhook_disabled'
        when suspended_at is not null or deleted_at is not null then 'application_suspended'
        when listener is not null then 'listening' end as stopped
      from webhooks join applications on applications.id = webhooks.application_id where webhooks.id = ${webhookId}
    ), found as (
      (select id, day, environment, event_id, event_type, ${shownState(db)} as state,
         case when state = 'held' then 'kept' else (select stopped from webhook) end as because, attempts, created_at,
         case when state = 'pending' and (select stopped from webhook) is null
           and (leased_until is null or leased_until <= now()) then due_at end as due_at,
         null::timestamptz as finished_at
       from ${about(db, subjectId, db`deliveries as delivery where ${waiting} and not manual`)}
       order by webhook_id desc, id desc limit ${limit})
      union all
      (select id, day, environment, event_id, event_type, state, because, attempts, created_at, null, finished_at
       from ${about(db, subjectId, db`finished_deliveries as delivery where ${finished}`)}
       order by webhook_id desc, id desc limit ${limit})
    )
    select found.*, event.* from found
    -- The limit keeps the planner from reading all events to find a few.
    cross join lateral (
      select facility_id, user_id, ${withBody ? db`body` : db`null`} as body from events
      where events.day = found.day and events.environment = found.environment and events.id = found.event_id limit 1
    ) as event
    order by found.id desc limit ${limit}`
}

/** What waits is held as long as nothing is sent to the webhook (decisions D2, D7). */
function shownState(db: DbOrTransaction) {
  return db`
    case when delivery.state = 'held' or (select stopped from webhook) is not null then 'held' else 'pending' end`
}

function ofState(db: DbOrTransaction, state: DeliveryState | null, column: Fragment) {
  return state === null ? db`` : db`and ${column} = ${state}`
}

function sieve(db: DbOrTransaction, { type, eventId, from, to }: DeliveryFilter) {
  return db`
    ${type === null ? db`` : db`and delivery.event_type = ${type}`}
    ${eventId === null ? db`` : db`and delivery.event_id = ${eventId}`}
    ${from === null ? db`` : db`and delivery.created_at >= ${from}`}
    ${to === null ? db`` : db`and delivery.created_at < ${to}`}`
}

/**
 * Those whose event is about somebody. The event of each row is looked up by itself, because the events of a facility have no
 * index; and behind a fence (`offset 0`), or the planner would think of every day's events for every day's deliveries.
 */
function about(db: DbOrTransaction, subjectId: string | null, rows: Fragment) {
  if (subjectId === null) return rows
  return db`
    (select * from ${rows} offset 0) as delivery
    where (select coalesce(facility_id, user_id) from events where events.day = delivery.day
           and events.environment = delivery.environment and events.id = delivery.event_id) = ${subjectId}`
}

/**
 * Between itself and itself, and ordered by it: of an equal one the planner would think that it is found soon by walking through
 * the whole queue, which it is not for a webhook that nothing waits for.
 */
function ofWebhook(db: DbOrTransaction, webhookId: string, { first, beyond }: IdRange) {
  return db`
    delivery.webhook_id between ${webhookId} and ${webhookId} ${first === null ? db`` : db`and delivery.id >= ${first}`}
    ${beyond === null ? db`` : db`and delivery.id < ${beyond}`}`
}

async function horizon(db: DbOrTransaction, webhookId: string, ids: IdRange, most: number): Promise<string | null> {
  const inRange = ofWebhook(db, webhookId, ids)
  const [row] = await db<Array<{ id: string | null }>>`
    select greatest(
      (select id from deliveries as delivery where ${inRange} order by webhook_id desc, id desc offset ${most} limit 1),
      (select id from finished_deliveries as delivery where ${inRange} order by webhook_id desc, id desc offset ${most} limit 1)
    ) as id`
  return row?.id ?? null
}

/** An event and its deliveries are made in one transaction, so its time leads to them. Null when there is none. */
async function whenAccepted(db: DbOrTransaction, webhookId: string, eventId: string): Promise<Date | null> {
  const [row] = await db<Array<{ created_at: Date }>>`
    select events.created_at from webhooks
    join event_ids on event_ids.environment = webhooks.environment and event_ids.id = ${eventId}
    join events on events.day = event_ids.day and events.environment = event_ids.environment and events.id = event_ids.id
    where webhooks.id = ${webhookId}`
  return row?.created_at ?? null
}

function fromRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    subject: row.facility_id === null ? { userId: row.user_id ?? '' } : { facilityId: row.facility_id },
    state: row.state,
    reason: row.because,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.due_at,
    finishedAt: row.finished_at,
  }
}
