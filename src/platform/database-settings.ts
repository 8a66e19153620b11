import type { Db } from './db.ts'

/** What of a server's settings decides whether a promise of ours can be kept. */
export type DatabaseSettings = {
  name: string
  version: string
  versionNumber: number
  encoding: string
  fsync: boolean
  fullPageWrites: boolean
  synchronousCommit: string
  autovacuum: boolean
  isolation: string
  readOnly: boolean
  statementTimeoutMs: number
  mostConnections: number
  /** Kept back for superusers and reserved roles. */
  keptBack: number
  connections: number
  /** Processes of ours that are connected now; the one that asks is left out. */
  processes: number
  /** Processes that wait for deliveries to be announced; behind PgBouncer nobody can. */
  listeners: number
}

export async function readDatabaseSettings(db: Db): Promise<DatabaseSettings> {
  const [row] = await db<[DatabaseSettings]>`
    select
      current_database() as name,
      current_setting('server_version') as version,
      current_setting('server_version_num')::int as "versionNumber",
      current_setting('server_encoding') as encoding,
      current_setting('fsync')::bool as fsync,
      current_setting('full_page_writes')::bool as "fullPageWrites",
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('autovacuum')::bool as autovacuum,
      current_setting('default_transaction_isolation') as isolation,
      current_setting('transaction_read_only')::bool as "readOnly",
      (select setting::float8 from pg_settings where name = 'statement_timeout') as "statementTimeoutMs",
      current_setting('max_connections')::int as "mostConnections",
      current_setting('superuser_reserved_connections')::int
        + coalesce(current_setting('reserved_connections', true), '0')::int as "keptBack",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      (select count(distinct (client_addr, application_name))::int from pg_stat_activity
       where datname = current_database() and application_name like 'handover %'
         and application_name <> current_setting('application_name')) as processes,
      (select count(*)::int from pg_stat_activity
       where datname = current_database() and query ~* '^listen "?handover_deliveries') as listeners`
  return row
}
