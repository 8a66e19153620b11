import type { Db } from '../db.ts'

/**
 * How many connections other processes of ours have to this database: those that were there before ours. Behind PgBouncer one
 * may outlive its process for a while.
 */
export async function countOtherSessions(db: Db): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and starts_with(application_name, 'handover ')
      and backend_start < (select backend_start from pg_stat_activity where pid = pg_backend_pid())`
  return row.count
}
