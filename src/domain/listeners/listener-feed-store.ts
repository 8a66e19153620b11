import type { Cipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import { endWhenSilent } from '../../platform/end-when-silent.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { endDeliveries } from '../deliveries/finish-store.ts'
import { requestHeaders } from '../deliveries/request-headers.ts'
import { unwantedBecause } from '../deliveries/wanted-store.ts'
import type { Audiences } from '../tokens/audience.ts'
import { openSecrets } from '../webhooks/sealed-secrets.ts'
import { type ListenerPlace, MOST_UNANSWERED } from './listener.ts'

/** One of a listener's streams, by its number: the newest is handed everything. */
export type ListenerStream = ListenerPlace & { stream: number }

/** An attempt that somebody is to make: the delivery, and which of its attempts it would be. */
export type WaitingAttempt = { id: string; attempt: number }

export type Look = { outcome: 'current'; waiting: WaitingAttempt[] } | { outcome: 'replaced' } | { outcome: 'deleted' }

/** What was sent is among what waits, so more is read than may be out; what is sent again by hand stands in front of it. */
const MOST_LOOKED_AT = 2 * MOST_UNANSWERED

type LookRow = { stream: number | null; ids: string[] | null; attempts: number[] | null }

/**
 * What waits for each of these, the longest waiting first: one statement for all the streams of a process. A listener whose
 * webhooks were deleted one by one, as the portal does it, is deleted.
 */
export async function lookForStreams(db: Db, streams: readonly ListenerStream[]): Promise<Look[]> {
  const rows = await db<LookRow[]>`
    select waiting.ids, waiting.attempts, case when exists (
        select 1 from webhooks
        where webhooks.application_id = listeners.application_id and webhooks.listener = listeners.name
      ) then listeners.stream end as stream
    from unnest(${streams.map(({ applicationId }) => applicationId)}::text[], ${streams.map(({ name }) => name)}::text[])
      with ordinality as asked (application_id, name, place)
    left join listeners on listeners.application_id = asked.application_id and listeners.name = asked.name
    left join lateral (
      select array_agg(id order by due_at, id) as ids, array_agg(attempt order by due_at, id) as attempts from (
        select first.* from webhooks
        join applications on applications.id = webhooks.application_id
        cross join lateral (
          select id, due_at, attempts + 1 as attempt from deliveries
          where deliveries.webhook_id = webhooks.id and state = 'pending' and due_at <= now()
          order by due_at limit ${MOST_LOOKED_AT}
        ) as first
        where webhooks.application_id = asked.application_id and webhooks.listener = asked.name
          and disabled_because is null and suspended_at is null and deleted_at is null
        order by first.due_at, first.id limit ${MOST_LOOKED_AT}
      ) as firsts
    ) as waiting on true
    order by asked.place`
  return streams.map(({ stream }, position): Look => {
    const row = rows[position]
    if (row === undefined || row.stream === null) return { outcome: 'deleted' }
    if (row.stream !== stream) return { outcome: 'replaced' }
    const { ids, attempts } = row
    return { outcome: 'current', waiting: (ids ?? []).map((id, place) => ({ id, attempt: attempts?.[place] ?? 1 })) }
  })
}

/** What a listener is to forward: the very bytes and headers that a receiver would be sent (decision D3). */
export type HandedOut = {
  /** Counts what this listener was ever handed. */
  position: number
  deliveryId: string
  attempt: number
  eventId: string
  eventType: string
  createdAt: Date
  /** Handed out before, to this stream or an earlier one, and never answered. */
  again: boolean
  headers: Record<string, string>
  body: string
}

type HandedRow = {
  id: string
  attempts: number
  event_id: string
  event_type: string
  created_at: Date
  sent: boolean
  body: string
  webhook_id: string
  secrets_sealed: Buffer
  unwanted: string | null
  now: Date
}

/**
 * Signs what waits and writes down that it was handed out. The listener's row is the meeting point: a stream that another one
 * replaced, and be it in another process, gets nothing from that moment on. What the webhook does not get any more is
 * cancelled instead, as it would be before it is sent. Answers in the order of `ids`; null for a stream that was replaced.
 */
export async function handOut(
  db: Db,
  cipher: Cipher,
  audiences: Audiences,
  { applicationId, name, stream }: ListenerStream,
  ids: readonly string[],
): Promise<HandedOut[] | null> {
  const handed = await retriedTransaction(db, async (tx) => {
    const [, [held]] = await Promise.all([
      endWhenSilent(tx),
      tx<Array<{ handed_out: string }>>`
        update listeners set handed_out = handed_out + ${ids.length}
        where application_id = ${applicationId} and name = ${name} and stream = ${stream}
        returning handed_out`,
    ])
    if (held === undefined) return null
    const rows = await tx<HandedRow[]>`
      with judged as (
        select deliveries.id, attempts, event_id, event_type, deliveries.created_at, sent, events.body,
          webhooks.id as webhook_id, secrets_sealed, ${unwantedBecause(tx, audiences)} as unwanted
        from deliveries
        join webhooks on webhooks.id = deliveries.webhook_id and webhooks.application_id = ${applicationId}
          and webhooks.listener = ${name}
        join events on events.day = deliveries.day and events.environment = deliveries.environment
          and events.id = deliveries.event_id
        where deliveries.id = any(${ids}) and deliveries.state = 'pending' and disabled_because is null
      ), marked as (
        update deliveries set sent = true from judged
        where deliveries.id = judged.id and judged.unwanted is null and not judged.sent
      )
      select *, clock_timestamp() as now from judged`
    const unwanted = Map.groupBy(rows, (row) => row.unwanted)
    for (const [because, theirs] of unwanted) {
      if (because === null) continue
      const ended = theirs.map(({ id }) => id)
      await endDeliveries(tx, ended, { state: 'cancelled', because })
    }
    return { last: Number(held.handed_out), rows: unwanted.get(null) ?? [] }
  })
  if (handed === null) return null
  const byId = new Map(handed.rows.map((row) => [row.id, row]))
  return ids.flatMap((id, place) => {
    const row = byId.get(id)
    return row === undefined ? [] : messageOf(cipher, row, handed.last - ids.length + place + 1)
  })
}

function messageOf(cipher: Cipher, row: HandedRow, position: number): HandedOut {
  const secrets = openSecrets(cipher, row.webhook_id, row.secrets_sealed)
  return {
    position,
    deliveryId: row.id,
    attempt: row.attempts + 1,
    eventId: row.event_id,
    eventType: row.event_type,
    createdAt: row.created_at,
    again: row.sent,
    headers: requestHeaders({ id: row.event_id, body: row.body }, secrets, row.now),
    body: row.body,
  }
}
