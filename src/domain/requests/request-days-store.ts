import type { Db } from '../../platform/db.ts'
import { dropTables } from '../../platform/drop-tables.ts'

/** The request log answers "what is wrong right now": a week is long enough. */
export const REQUEST_LOG_DAYS = 7

const DAYS_AHEAD = 7

/** Without its day a request cannot be written down, so every start and every worker makes sure of the days to come. */
export async function ensureRequestDays(db: Db): Promise<void> {
  await db`select ensure_request_days(${DAYS_AHEAD})`
}

/** Drops the days that ended more than a week ago. Who reads one is not waited for: the next turn tries again. */
export async function dropOldRequestDays(db: Db): Promise<string[]> {
  const days = await db<Array<{ name: string }>>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'request_log'::regclass
      and to_date(substring(relname from '_(\\d{8})$'), 'YYYYMMDD') < (now() at time zone 'utc')::date - ${REQUEST_LOG_DAYS}::int
    order by relname`
  const dropped: string[] = []
  for (const { name } of days) {
    const gone = await dropTables(db, [name])
    if (gone === 'busy') break
    dropped.push(...gone)
  }
  return dropped
}
