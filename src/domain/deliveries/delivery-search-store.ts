import { byItsKeys } from '../../platform/by-its-keys.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Environment } from '../environment.ts'
import { type DeliveryState, FINISHED_STATES } from './delivery.ts'
import { type IdRange, idsBetween } from './delivery-id.ts'
import type { DeliverySearch, FoundDelivery, FoundPage, SearchedPlace } from './delivery-search.ts'
import { RETENTION_DAYS } from './retention-store.ts'

/** As in the list of one webhook: for one page so many rows of each table are looked at and no more. */
const MOST_LOOKED_AT = 20_000
/** An event makes its deliveries in its own transaction, which is over long before this. */
const OF_AN_EVENT = 500

type Page = { before: string | null; limit: number; lookedAt?: number }

/**
 * Costs about the same however many deliveries there are: every part reads one end of an index, by one plan for all searches.
 * To plan over the tables of all days takes longer than to look.
 */
export async function searchDeliveries(
  db: Db,
  place: SearchedPlace,
  search: DeliverySearch,
  page: Page,
): Promise<FoundPage> {
  const [, found] = await transaction(db, (tx) => Promise.all([byItsKeys(tx), searchIn(tx, place, search, page)]))
  return found
}

async function searchIn(
  db: DbOrTransaction,
  place: SearchedPlace,
  search: DeliverySearch,
  { before, limit, lookedAt = MOST_LOOKED_AT }: Page,
): Promise<FoundPage> {
  const { first, beyond } = idsBetween(search.from, search.to)
  const ids = { first, beyond: earlier(before, beyond) }
  if (place !== 'everywhere')
    return lookInto(db, ofWebhooks(db, place, tablesFor(db, search)), ids, search, { limit, lookedAt })

  const found: FoundDelivery[] = []
  for (const day of await daysBack(db, ids)) {
    const within = { first: later(ids.first, day.first), beyond: earlier(ids.beyond, day.beyond) }
    const part = await lookInto(db, ofDay(db, day.day, tablesFor(db, search)), within, search, {
      limit: limit - found.length,
      lookedAt,
    })
    found.push(...part.found)
    if (part.older !== null) return { found, older: part.older }
  }
  return { found, older: null }
}

/** The deliveries that an event made, to whichever webhooks. Its day and its time lead to them, so no index knows its id. */
export async function deliveriesOfEvent(db: Db, eventId: string): Promise<FoundDelivery[]> {
  const events = await db<Array<{ day: string; environment: Environment; created_at: Date }>>`
    select events.day::text, events.environment, events.created_at
    from event_ids join events on events.day = event_ids.day and events.environment = event_ids.environment
      and events.id = event_ids.id
    where event_ids.id = ${eventId} and event_ids.environment in ('production', 'sandbox')`
  const parts = await Promise.all(
    events.map(({ day, environment, created_at: at }) => {
      const { first, beyond } = idsBetween(at, at)
      const wanted = db`
        delivery.id >= ${first} and delivery.id < ${beyond} and delivery.event_id = ${eventId}
        and delivery.environment = ${environment} order by delivery.id desc limit ${OF_AN_EVENT}`
      return shownRows(
        db,
        db`
          (select ${columns(db, 'finished')} from finished_deliveries as delivery where day = ${day}::date and ${wanted})
          union all
          (select ${columns(db, 'waiting')} from deliveries as delivery where not manual and ${wanted})`,
        EVERYTHING,
        OF_AN_EVENT,
      )
    }),
  )
  return parts.flat()
}

const EVERYTHING: DeliverySearch = { environment: null, state: null, from: null, to: null }

type Fragment = ReturnType<typeof columns>

/**
 * Somewhere to look: the newest rows in a range of ids, up to so many of each table and webhook; and the row that would come
 * after so many.
 */
type Place = {
  newest: (ids: IdRange, each: number) => Fragment
  horizon: (ids: IdRange, each: number) => Fragment
  /** Among how many what may be looked at is divided. */
  parts: number
}

/** What stands beside the conditions of each table: only one of the two has deliveries of a given state. */
type Tables = { finished: Fragment; waiting: Fragment }

function tablesFor(db: DbOrTransaction, { state }: DeliverySearch): Tables {
  const isOver = FINISHED_STATES.some((each) => each === state)
  const unless = (isLeftOut: boolean) => (isLeftOut ? db`and false` : db``)
  return { finished: unless(state !== null && !isOver), waiting: unless(isOver) }
}

function ofWebhooks(db: DbOrTransaction, webhookIds: readonly string[], tables: Tables): Place {
  const places = db`unnest(${[...webhookIds]}::text[]) as place (webhook_id)`
  const finished = (ids: IdRange, what: Fragment, end: Fragment) => db`
    (select ${what} from finished_deliveries as delivery
     where delivery.webhook_id = place.webhook_id ${inRange(db, ids)} ${tables.finished} order by delivery.id desc ${end})`
  // Between itself and itself: of an equal one the planner would think that it is found soon by walking through the whole
  // queue, which it is not for a webhook that nothing waits for.
  const waiting = (ids: IdRange, what: Fragment, end: Fragment) => db`
    (select ${what} from deliveries as delivery
     where delivery.webhook_id between place.webhook_id and place.webhook_id and not manual ${inRange(db, ids)} ${tables.waiting}
     order by delivery.webhook_id desc, delivery.id desc ${end})`
  return {
    parts: Math.max(1, webhookIds.length),
    newest: (ids, each) => db`
      select newest.* from ${places} cross join lateral (
        ${finished(ids, columns(db, 'finished'), db`limit ${each}`)}
        union all ${waiting(ids, columns(db, 'waiting'), db`limit ${each}`)}
      ) as newest`,
    horizon: (ids, each) => db`
      select max(beyond.id) as id from ${places} cross join lateral (
        ${finished(ids, db`id`, db`offset ${each} limit 1`)} union all ${waiting(ids, db`id`, db`offset ${each} limit 1`)}
      ) as beyond`,
  }
}

/** Of ids of one day: a transaction that began before midnight keeps the day before. */
function ofDay(db: DbOrTransaction, day: string, tables: Tables): Place {
  const finished = (ids: IdRange, back: number, what: Fragment, end: Fragment) => db`
    (select ${what} from finished_deliveries as delivery where day = ${day}::date - ${back}::int ${inRange(db, ids)} ${tables.finished}
     order by delivery.id desc ${end})`
  const waiting = (ids: IdRange, what: Fragment, end: Fragment) => db`
    (select ${what} from deliveries as delivery where not manual ${inRange(db, ids)} ${tables.waiting}
     order by delivery.id desc ${end})`
  const all = (ids: IdRange, what: (of: 'finished' | 'waiting') => Fragment, end: Fragment) => db`
    ${finished(ids, 0, what('finished'), end)} union all ${finished(ids, 1, what('finished'), end)}
    union all ${waiting(ids, what('waiting'), end)}`
  return {
    parts: 1,
    newest: (ids, each) => all(ids, (of) => columns(db, of), db`limit ${each}`),
    horizon: (ids, each) => db`
      select max(id) as id from (${all(ids, () => db`id`, db`offset ${each} limit 1`)}) as beyond`,
  }
}

async function lookInto(
  db: DbOrTransaction,
  place: Place,
  ids: IdRange,
  search: DeliverySearch,
  { limit, lookedAt }: { limit: number; lookedAt: number },
): Promise<FoundPage> {
  // Where nothing is left out, the newest rows are the page; the moments are exact, so they leave out a few.
  const isSifted = Object.values(search).some((wanted) => wanted !== null)
  const each = isSifted ? Math.ceil(lookedAt / place.parts) : limit
  const until = isSifted ? await horizonOf(db, place.horizon(ids, each)) : null
  // One more than so many: the row at the horizon is looked at, too.
  const rows = await shownRows(
    db,
    place.newest({ ...ids, first: later(ids.first, until) }, each + 1),
    search,
    limit + 1,
  )
  const found = rows.slice(0, limit)
  // With no room left on the page, what is here begins the next one.
  return { found, older: rows.length > limit ? (found.at(-1)?.id ?? ids.beyond) : until }
}

async function horizonOf(db: DbOrTransaction, horizon: Fragment): Promise<string | null> {
  const [row] = await db<Array<{ id: string | null }>>`${horizon}`
  return row?.id ?? null
}

type Row = {
  id: string
  environment: Environment
  webhook_id: string
  event_id: string
  event_type: string
  state: DeliveryState
  because: string | null
  attempts: number
  created_at: Date
  url: string | null
  application_id: string | null
  application_name: string | null
}

/** What waits is held as long as nothing is sent to its webhook (decisions D2, D7). */
async function shownRows(
  db: DbOrTransaction,
  rows: Fragment,
  { environment, state, from, to }: DeliverySearch,
  limit: number,
): Promise<FoundDelivery[]> {
  const found = await db<Row[]>`
    select looked.id, looked.environment, webhook_id, event_id, event_type, attempts, looked.created_at, shown.state,
           case when looked.state <> 'pending' then because else shown.stopped end as because,
           url, applications.id as application_id, applications.name as application_name
    from (${rows}) as looked
    left join webhooks on webhooks.id = looked.webhook_id
    left join applications on applications.id = webhooks.application_id
    cross join lateral (
      select case when disabled_because is not null then 'webhook_disabled'
        when suspended_at is not null or deleted_at is not null then 'application_suspended'
        when listener is not null then 'listening' end as stopped
    ) as standing
    cross join lateral (
      select standing.stopped,
        case when looked.state = 'pending' and standing.stopped is not null then 'held' else looked.state end as state
    ) as shown
    where true ${environment === null ? db`` : db`and looked.environment = ${environment}`}
      ${state === null ? db`` : db`and shown.state = ${state}`}
      ${from === null ? db`` : db`and looked.created_at >= ${from}`}
      ${to === null ? db`` : db`and looked.created_at < ${to}`}
    order by looked.id desc limit ${limit}`
  return found.map(fromRow)
}

function columns(db: DbOrTransaction, of: 'finished' | 'waiting') {
  return db`
    delivery.id, delivery.environment, delivery.webhook_id, delivery.event_id, delivery.event_type, delivery.state,
    ${of === 'finished' ? db`delivery.because` : db`case when delivery.state = 'held' then 'kept' end`} as because,
    delivery.attempts, delivery.created_at`
}

function inRange(db: DbOrTransaction, { first, beyond }: IdRange) {
  return db`
    ${first === null ? db`` : db`and delivery.id >= ${first}`} ${beyond === null ? db`` : db`and delivery.id < ${beyond}`}`
}

const DAY_MS = 86_400_000

/** The days that there are, newest first, each with the ids that were made on it. */
async function daysBack(db: DbOrTransaction, { first, beyond }: IdRange): Promise<Array<IdRange & { day: string }>> {
  // The oldest event is looked up, so that a young database is not asked for a month of days.
  const [row] = await db<Array<{ oldest: string | null; now: Date }>>`
    select case when min(day) is not null
      then greatest(min(day), (now() at time zone 'utc')::date - ${RETENTION_DAYS + 1}::int)::text end as oldest, now() as now
    from event_ids`
  if (row === undefined || row.oldest === null) return []
  const newest = Math.floor(row.now.getTime() / DAY_MS)
  const oldest = Math.floor(Date.parse(`${row.oldest}T00:00:00Z`) / DAY_MS)
  const days = Array.from({ length: newest - oldest + 1 }, (_, back) => new Date((newest - back) * DAY_MS))
  return days
    .map((start) => ({
      day: start.toISOString().slice(0, 10),
      first: idsBetween(start, null).first,
      beyond: idsBetween(new Date(start.getTime() + DAY_MS), null).first,
    }))
    .filter(
      (day) => !(beyond !== null && (day.first ?? '') >= beyond) && !(first !== null && (day.beyond ?? '') <= first),
    )
}

/** Of two ends, null being none. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}

function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}

function fromRow(row: Row): FoundDelivery {
  return {
    id: row.id,
    environment: row.environment,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    state: row.state,
    reason: row.because,
    attempts: row.attempts,
    createdAt: row.created_at,
    webhook:
      row.url === null || row.application_id === null
        ? null
        : { url: row.url, applicationId: row.application_id, applicationName: row.application_name ?? '' },
  }
}
