import type { Db } from '../../src/platform/db.ts'

/** A delivery in the queue as a test wants it; ids carry the moment they were made, as real ones do. */
export type QueueRow = {
  webhookId?: string
  daysAgo?: number
  state?: 'pending' | 'held'
  leasedForSeconds?: number
  dueInSeconds?: number
  attempts?: number
  manual?: boolean
}

/** So many deliveries with their events, without any door. Answers their ids. */
export async function queueRows(db: Db, count: number, row: QueueRow = {}): Promise<string[]> {
  const { webhookId = 'whk_x', daysAgo = 0, state = 'pending', leasedForSeconds = null, dueInSeconds = 0 } = row
  const made = db`(now() - make_interval(secs => ${daysAgo * 86_400}))`
  const rows = await db<Array<{ id: string }>>`
    with news as (
      select 'dlv_' || lpad(to_hex((extract(epoch from ${made}) * 1000)::bigint), 12, '0')
          || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14) as id,
        'evt_' || gen_random_uuid() as event_id, (${made} at time zone 'utc')::date as day
      from generate_series(1, ${count})
    ), ids as (
      insert into event_ids (environment, id, body_hash, day) select 'sandbox', event_id, ''::bytea, day from news
    ), happened as (
      insert into events (day, environment, id, type, body, created_at)
      select day, 'sandbox', event_id, 'shift.created', '{}', ${made} from news
    )
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, manual, state, due_at, leased_until,
      attempts, tries, created_at)
    select id, ${webhookId}, 'sandbox', day, event_id, 'shift.created', ${row.manual ?? false}, ${state},
      now() + make_interval(secs => ${dueInSeconds}), now() + make_interval(secs => ${leasedForSeconds}),
      ${row.attempts ?? 0}, ${row.attempts ?? 0}, ${made}
    from news returning id`
  return rows.map(({ id }) => id)
}

/** The tables of one day, as they were made when it was that day. */
export async function makeDay(db: Db, daysAgo: number): Promise<void> {
  for (const noun of ['events', 'finished_deliveries', 'attempts']) {
    const [names] = await db<[{ name: string; day: string; next: string }]>`
      select ${noun} || to_char(day, '_YYYYMMDD') as name, day::text, (day + 1)::text as next
      from (select (now() at time zone 'utc')::date - ${daysAgo}::int as day) as days`
    await db.unsafe(
      `create table if not exists ${names.name} partition of ${noun} for values from ('${names.day}') to ('${names.next}')`,
    )
  }
}

/** The days that have tables, oldest first, of each noun. */
export async function daysKept(db: Db, noun: string): Promise<string[]> {
  const rows = await db<Array<{ day: string }>>`
    select right(relname, 8) as day from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = ${noun}::regclass order by day`
  return rows.map(({ day }) => day)
}

export async function dayAgo(db: Db, daysAgo: number): Promise<string> {
  const [row] = await db<[{ day: string }]>`
    select to_char((now() at time zone 'utc')::date - ${daysAgo}::int, 'YYYYMMDD') as day`
  return row.day
}
