import postgres from 'postgres'
import { OperatorError } from './operator-error.ts'
import { within } from './within.ts'

export type Db = postgres.Sql
/** A statement can run on the pool or inside a transaction; stores take either. */
export type DbOrTransaction = postgres.ISql

/** Where the server is: a URL that an operator gave, or what the embedded launcher answered. */
export type DatabaseTarget = { url: string } | { connection: postgres.Options<Record<string, never>> }

export type DatabaseOptions = {
  /** Off behind PgBouncer in transaction mode, where a prepared statement may not meet its connection again. */
  prepare: boolean
  poolSize: number
}

/** The longest a start-up or a readiness probe waits for the database. */
export const DATABASE_PATIENCE_MS = 2_000

const STATEMENT_LIMIT_MS = 30_000

export function openDatabase(target: DatabaseTarget, options: DatabaseOptions): Db {
  const settings: postgres.Options<Record<string, never>> = {
    max: options.poolSize,
    prepare: options.prepare,
    connect_timeout: DATABASE_PATIENCE_MS / 1_000,
    idle_timeout: 300,
    max_lifetime: 3_600,
    onnotice: () => {},
    connection: {
      application_name: `handover ${process.pid}`,
      // PgBouncer refuses start-up parameters it does not know; behind it these limits belong to the role or the database.
      ...(options.prepare
        ? { statement_timeout: STATEMENT_LIMIT_MS, idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS }
        : {}),
    },
  }
  if ('connection' in target) return postgres({ ...settings, ...target.connection })
  try {
    return postgres(target.url, settings)
  } catch {
    // The parser's own message may quote the password.
    throw new OperatorError(
      'DATABASE_URL cannot be understood. Write it as postgres://user:password@host:5432/database.',
    )
  }
}

/** Runs the work in one transaction and answers its outcome. A throw rolls back, so what must stay is returned, not thrown. */
export async function transaction<Value>(db: Db, work: (tx: DbOrTransaction) => Promise<Value>): Promise<Value> {
  const { outcome } = await db.begin(async (tx) => ({ outcome: await work(tx) }))
  return outcome
}

/** Proves that the server answers and is new enough, or says in one line what to do. */
export async function requireDatabase(db: Db, where: string): Promise<void> {
  let version: number
  try {
    const rows = db<[{ version: number }]>`select current_setting('server_version_num')::int as version`
    version = (await within(DATABASE_PATIENCE_MS, 'Connecting', rows))[0].version
  } catch (error) {
    throw new OperatorError(
      `The database ${where} cannot be used: ${reason(error)}. Check DATABASE_URL and that PostgreSQL runs.`,
    )
  }
  if (version < 150_000) {
    throw new OperatorError(
      `The database ${where} is PostgreSQL ${Math.floor(version / 10_000)}; version 15 or newer is needed.`,
    )
  }
}

/** The address without user and password, for messages. */
export function describeDatabaseUrl(url: string): string {
  const parts = /^[a-z]+:\/\/(?:[^@/]*@)?([^/?#]*)(?:\/([^?#]*))?/i.exec(url)
  return parts ? `"${parts[2] || 'postgres'}" at ${parts[1] || 'localhost'}` : 'in DATABASE_URL'
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given'
  if (error instanceof AggregateError) return reason(error.errors[0])
  const { code } = error as Error & { code?: string }
  return error.message || code || error.name
}
