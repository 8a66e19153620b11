import type { Db } from './db.ts'

/** What an operator is asked for first when the database is in doubt. */
export type DatabaseFacts = { version: string; bytes: number; connections: number }

export async function databaseFacts(db: Db): Promise<DatabaseFacts> {
  const [row] = await db<[{ version: string; bytes: number; connections: number }]>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
           (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`
  return { version: row.version, bytes: row.bytes, connections: row.connections }
}
