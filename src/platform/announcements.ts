import type { DatabaseClock } from './database-clock.ts'
import { DATABASE_PATIENCE_MS, type Db, type DbOrTransaction } from './db.ts'
import { startPeriodic } from './periodic.ts'
import { within } from './within.ts'

/** What one process did and every other must know within a second. `until` is when it stops mattering. */
export type Announcement = { topic: string; key: string; issuedBefore: Date | null; until: Date }

/** How often each process looks. Polling works behind PgBouncer too, where LISTEN does not. */
const LOOK_EVERY_MS = 300

/** Goes into the transaction of the change itself, so that it is known exactly when the change is. */
export async function announce(
  db: DbOrTransaction,
  announcement: { topic: string; key: string; forSeconds: number; issuedBefore?: 'now'; once?: boolean },
): Promise<void> {
  const { topic, key, forSeconds, issuedBefore, once = false } = announcement
  await db`
    insert into announcements (topic, key, issued_before, expires_at)
    select ${topic}, ${key}, case when ${issuedBefore === 'now'} then clock_timestamp() end,
           clock_timestamp() + make_interval(secs => ${forSeconds})
    where not ${once} or not exists (select 1 from announcements where topic = ${topic} and key = ${key})`
}

/** As `announce`, of many at once: one statement for all of them. */
export async function announceEach(
  db: DbOrTransaction,
  { topic, keys, forSeconds }: { topic: string; keys: readonly string[]; forSeconds: number },
): Promise<void> {
  await db`
    insert into announcements (topic, key, issued_before, expires_at)
    select ${topic}, key, clock_timestamp(), clock_timestamp() + make_interval(secs => ${forSeconds})
    from unnest(${keys}::text[]) as key`
}

/**
 * Hands over everything that still matters, then whatever comes, until it is stopped. After a crash of the server, or when
 * another took its place, everything that still matters is handed over once more: such a server may give out numbers of
 * transactions again that our snapshot has seen (decision record 93). Each look brings the database's time along.
 */
export async function followAnnouncements(
  db: Db,
  receive: (announcements: Announcement[]) => void,
  failed: (error: unknown) => void,
  askTime: DatabaseClock['ask'],
): Promise<{ stop: () => Promise<void> }> {
  const heardFirst = askTime()
  let last = await readAll(db)
  heardFirst(last.databaseTime)
  receive(last.announcements)
  const loop = startPeriodic(
    LOOK_EVERY_MS,
    async () => {
      const heard = askTime()
      last = await within(DATABASE_PATIENCE_MS, 'Looking for announcements', readNews(db, last))
      heard(last.databaseTime)
      if (last.announcements.length > 0) receive(last.announcements)
    },
    failed,
  )
  return { stop: loop.stop }
}

export async function forgetOldAnnouncements(db: Db): Promise<void> {
  await db`delete from announcements where expires_at < now()`
}

type Look = { announcements: Announcement[]; snapshot: string; life: string; databaseTime: Date }
type Row = {
  snapshot: string
  life: string
  database_time: Date
  topic: string | null
  key: string | null
  issued_before: Date | null
  expires_at: Date | null
}

async function readNews(db: Db, last: Look): Promise<Look> {
  const news = await readSince(db, last.snapshot)
  return news.life === last.life ? news : readAll(db)
}

/** Tells one life of a server from the next: its start, and when its statistics began, which a crash makes begin anew. */
const lifeOfServer = (db: Db) =>
  db`pg_postmaster_start_time()::text || ' ' || (select coalesce(stats_reset::text, '') from pg_stat_wal) as life`

async function readAll(db: Db): Promise<Look> {
  const rows = await db<Row[]>`
    select pg_current_snapshot()::text as snapshot, ${lifeOfServer(db)}, clock_timestamp() as database_time, topic, key, issued_before, expires_at
    from (select 1) one left join announcements on expires_at > now()`
  return toLook(rows)
}

/** What the last snapshot could not see and this one can: nothing is missed or read twice, whatever order commits come in. */
async function readSince(db: Db, last: string): Promise<Look> {
  const rows = await db<Row[]>`
    select pg_current_snapshot()::text as snapshot, ${lifeOfServer(db)}, clock_timestamp() as database_time, topic, key, issued_before, expires_at
    from (select 1) one left join announcements
      on xact >= pg_snapshot_xmin(${last}::pg_snapshot) and not pg_visible_in_snapshot(xact, ${last}::pg_snapshot)`
  return toLook(rows)
}

function toLook(rows: Row[]): Look {
  const announcements = rows.flatMap(({ topic, key, issued_before, expires_at }) =>
    topic === null || key === null || expires_at === null
      ? []
      : [{ topic, key, issuedBefore: issued_before, until: expires_at }],
  )
  const [first] = rows
  if (first === undefined) throw new Error('A look always has a row')
  return { announcements, snapshot: first.snapshot, life: first.life, databaseTime: first.database_time }
}
