import type { Db } from '../../src/platform/db.ts'
import { makeDay } from './queue-rows.ts'

/** A delivery that is over as a test wants it, with its event and its attempts; ids carry the moment they were made. */
export type FinishedRow = {
  webhookId: string
  state?: 'delivered' | 'failed' | 'cancelled'
  because?: string | null
  hoursAgo?: number
  attempts?: number
  eventType?: string
  facilityId?: string
  body?: string
  url?: string
  durationMs?: number
  responseHead?: string
  responseBody?: string
  message?: string | null
}

/** So many of them, without any door. The last attempt has the answer; those before it failed. Answers their ids. */
export async function finishedRows(db: Db, count: number, row: FinishedRow): Promise<string[]> {
  const { state = 'delivered', attempts = 1, eventType = 'shift.created', url = 'https://partner.example/hook' } = row
  const hoursAgo = row.hoursAgo ?? 0
  const made = db`(now() - make_interval(secs => ${hoursAgo * 3_600}))`
  // By the hour of the day it is now, so many hours ago was one day or the next.
  const days = Math.floor(hoursAgo / 24)
  for (const daysAgo of [days, days + 1]) if (daysAgo > 1) await makeDay(db, daysAgo)
  const rows = await db<Array<{ id: string }>>`
    with news as (
      select 'dlv_' || lpad(to_hex((extract(epoch from ${made}) * 1000)::bigint), 12, '0')
          || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14) as id,
        'evt_' || gen_random_uuid() as event_id, (${made} at time zone 'utc')::date as day
      from generate_series(1, ${count})
    ), ids as (
      insert into event_ids (environment, id, body_hash, day) select 'sandbox', event_id, ''::bytea, day from news
    ), happened as (
      insert into events (day, environment, id, type, facility_id, body, created_at)
      select day, 'sandbox', event_id, ${eventType}, ${row.facilityId ?? 'fac_x'}, ${row.body ?? '{}'}, ${made} from news
    ), tried as (
      insert into attempts (day, delivery_id, number, started_at, manual, url, status, error, message, duration_ms,
        response_head, response_body)
      select day, id, number, ${made}, false, ${url},
        case when number < ${attempts}::int then 503 when ${state} = 'delivered' then 200 end,
        case when number = ${attempts}::int and ${state} <> 'delivered' then 'timeout' end,
        case when number = ${attempts}::int then ${row.message ?? null} end, ${row.durationMs ?? 80},
        ${row.responseHead ?? 'content-type: text/plain'}, convert_to(${row.responseBody ?? 'ok'}, 'utf8')
      from news, generate_series(1, ${attempts}) as number
    )
    insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, because,
      attempts, created_at)
    select day, id, ${row.webhookId}, 'sandbox', event_id, ${eventType}, false, ${state}, ${row.because ?? null},
      ${attempts}, ${made}
    from news returning id`
  return rows.map(({ id }) => id).toSorted()
}
