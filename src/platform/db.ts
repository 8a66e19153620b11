import type { Duplex } from 'node:stream'
import type postgresJs from 'postgres'
import { type DatabaseHost, hostChooser } from './database-hosts.ts'
import { socketSource } from './database-socket.ts'
import { OperatorError } from './operator-error.ts'
import { postgres } from './postgres-js.ts'
import { OutOfTime, within } from './within.ts'

export type Db = postgresJs.Sql
/** A statement can run on the pool or inside a transaction; stores take either. */
export type DbOrTransaction = postgresJs.ISql

/** Where the server is: a URL that an operator gave, or what the embedded launcher answered. */
export type DatabaseTarget = { url: string } | { connection: postgresJs.Options<Record<string, never>> }

export type DatabaseOptions = {
  /** Off behind PgBouncer in transaction mode, where a prepared statement may not meet its connection again. */
  prepare: boolean
  poolSize: number
  /** When a connection over the network counts as dead; null where a statement may take as long as it needs. */
  silenceLimitMs?: number | null
}

/** The longest a start-up or a readiness probe waits for the database. */
export const DATABASE_PATIENCE_MS = 2_000

const STATEMENT_LIMIT_MS = 10_000
/** Longer than any statement may take and than an unused connection is kept. */
const SILENCE_LIMIT_MS = STATEMENT_LIMIT_MS + 2_000
/** For the other side: a server that is not told otherwise keeps the connections, and the locks, of a lost machine for two hours. */
const SERVER_KEEPALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }
/** postgres.js would wait up to 20 s before it tries again, long after the database is back. */
const LONGEST_PAUSE_SECONDS = 1

type Settings = postgresJs.Options<Record<string, never>> & { socket?: () => Promise<Duplex> }

export function openDatabase(target: DatabaseTarget, options: DatabaseOptions): Db {
  const settings: Settings = {
    max: options.poolSize,
    prepare: options.prepare,
    // A statement that is not prepared is asked for its types first, without an end to that question. Behind another statement
    // PgBouncer takes the end of that one for the end of both, and gives the answer to a stranger (decision record 93).
    ...(options.prepare ? {} : { max_pipeline: 0 }),
    connect_timeout: DATABASE_PATIENCE_MS / 1_000,
    idle_timeout: STATEMENT_LIMIT_MS / 1_000,
    max_lifetime: 3_600,
    backoff: (failures) => Math.min(2 ** failures / 100, LONGEST_PAUSE_SECONDS) * (0.5 + Math.random() / 2),
    onnotice: () => {},
    connection: {
      application_name: `handover ${process.pid}`,
      // PgBouncer refuses start-up parameters it does not know; behind it these limits belong to the role or the database.
      ...(options.prepare
        ? {
            statement_timeout: STATEMENT_LIMIT_MS,
            idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
            ...SERVER_KEEPALIVE,
          }
        : {}),
    },
  }
  if ('connection' in target) return postgres({ ...settings, ...target.connection })
  const { silenceLimitMs = SILENCE_LIMIT_MS } = options
  try {
    return overTheNetwork(target.url, settings, silenceLimitMs)
  } catch {
    // The parser's own message may quote the password.
    throw new OperatorError(
      'DATABASE_URL cannot be understood. Write it as postgres://user:password@host:5432/database.',
    )
  }
}

function overTheNetwork(url: string, settings: Settings, silenceLimitMs: number | null): Db {
  const { host, port, path } = postgres(url, settings).options
  if (path) return postgres(url, settings)
  const hosts = host.map((name, position) => ({ host: name, port: port[position] ?? 0 }))
  if (hosts.some((each) => !(each.port > 0 && each.port < 65_536))) throw new Error('A port is not a number')
  const ask = (one: DatabaseHost) => lineOfHistory(postgres(url, { ...settings, ...one, max: 1, fetch_types: false }))
  // Told of one host only, postgres.js leaves the choice to us.
  const ours: Settings = { ...settings, ...hosts[0], socket: socketSource(hostChooser(hosts, ask), silenceLimitMs) }
  return postgres(url, ours)
}

async function lineOfHistory(db: Db): Promise<number | null> {
  try {
    return await within(DATABASE_PATIENCE_MS, 'Connecting', askLine(db))
  } catch (error) {
    // A host that says nothing is one that cannot be reached.
    throw error instanceof OutOfTime ? Object.assign(error, { code: 'CONNECT_TIMEOUT' }) : error
  } finally {
    void db.end({ timeout: 0 })
  }
}

/** The timeline stands in the first eight digits of the file that is written to. What only resembles PostgreSQL may have none. */
async function askLine(db: Db): Promise<number | null> {
  const [{ writes }] = await db<[{ writes: boolean }]>`
    select current_setting('transaction_read_only') = 'off' as writes`
  if (!writes) return null
  const lines = db<[{ line: string }]>`select left(pg_walfile_name(pg_current_wal_lsn()), 8) as line`
  const [{ line }] = await lines.catch((error: unknown) => {
    if (error instanceof postgres.PostgresError) return [{ line: '0' }] as const
    throw error
  })
  return Number.parseInt(line, 16)
}

/** Proves that the server answers and is new enough, or says in one line what to do. */
export async function requireDatabase(db: Db, where: string): Promise<void> {
  let version: number
  try {
    const rows = db<[{ version: number }]>`select current_setting('server_version_num')::int as version`
    version = (await within(DATABASE_PATIENCE_MS, 'Connecting', rows))[0].version
  } catch (error) {
    throw new OperatorError(`The database ${where} cannot be used: ${reason(error)}. ${adviceOn(error)}`)
  }
  if (version < 150_000) {
    throw new OperatorError(
      `The database ${where} is PostgreSQL ${Math.floor(version / 10_000)}; version 15 or newer is needed.`,
    )
  }
}

/** The address without user and password, for messages. */
export function describeDatabaseUrl(url: string): string {
  const parts = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)(?:\/([^?#]*))?/i.exec(url)
  return parts ? `"${parts[2] || 'postgres'}" at ${parts[1] || 'localhost'}` : 'in DATABASE_URL'
}

/** PgBouncer takes no start-up parameters that it does not know, which is how we meet it without being told. */
function adviceOn(error: unknown): string {
  return reason(error).startsWith('unsupported startup parameter')
    ? 'Behind PgBouncer set HANDOVER_DATABASE_PREPARE=off.'
    : 'Check DATABASE_URL and that PostgreSQL runs.'
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given'
  if (error instanceof AggregateError) return reason(error.errors[0])
  const { code } = error as Error & { code?: string }
  return error.message || code || error.name
}
