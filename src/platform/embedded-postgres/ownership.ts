import { setTimeout as sleep } from 'node:timers/promises'
import type postgresJs from 'postgres'
import { postgres } from '../postgres-js.ts'
import type { EmbeddedConnection } from './connection.ts'
import { isRunning } from './live-process.ts'

/** Held for as long as the process lives: the kernel closes the connection of a killed one, and the lock is free. */
export type Ownership = {
  ensureDatabase(name: string): Promise<void>
  /** Stops the server under the lock, so that nobody can come between, and lets go. */
  end(stopServer: () => Promise<void>): Promise<void>
}

export type OwnershipOutcome =
  | { kind: 'owned'; ownership: Ownership }
  | { kind: 'taken'; by: string }
  | { kind: 'gone' }

/** Advisory locks count per database, and this is not the application's, so the number cannot meet one of its. */
const lockKey = 1
const lockDatabase = 'postgres'
const applicationName = 'handover owner'

const tryEveryMs = 50
/** The server needs a moment to notice that a killed owner is gone. */
const momentMs = 1_000
/** More than a moment when it is busy, or was in the middle of a statement; waited for only if the owner is gone. */
const patienceMs = 15_000

/** Tries for as long as the one who has the lock may be gone without the server having noticed. */
export async function takeOwnership(connection: EmbeddedConnection): Promise<OwnershipOutcome> {
  const state = { held: false, ending: false }
  const sql = postgres({
    ...connection,
    database: lockDatabase,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: `${applicationName} ${process.pid}` },
    // A crash of another backend makes the server drop every connection: take the lock again.
    onclose: () => void (state.held && !state.ending && regain()),
  })
  const tryLock = async () =>
    (await sql<{ held: boolean }[]>`select pg_try_advisory_lock(${lockKey}) as held`)[0]?.held === true
  const regain = async () => {
    state.held = false
    while (!state.held && !state.ending) {
      await sleep(200, undefined, { ref: false })
      state.held = await tryLock().catch(() => false)
    }
  }
  const end = async (stopServer: () => Promise<void>) => {
    state.ending = true
    try {
      // The lock may be lost with a crashed server; only if somebody else has it by now is the server not ours to stop.
      if (state.held || (await tryLock().catch(() => true))) await stopServer()
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  try {
    for (const began = Date.now(); ; await sleep(tryEveryMs)) {
      state.held = await tryLock()
      if (state.held) return { kind: 'owned', ownership: { end, ensureDatabase: (name) => ensureDatabase(sql, name) } }
      const waited = Date.now() - began
      if (waited < momentMs) continue
      const owner = await currentOwner(sql)
      if (waited < patienceMs && !(owner !== null && (await isRunning(owner)))) continue
      await sql.end({ timeout: 1 })
      return { kind: 'taken', by: `process ${owner ?? 'unknown'}` }
    }
  } catch (error) {
    await sql.end({ timeout: 1 })
    if (isGone(error)) return { kind: 'gone' }
    throw error
  }
}

/** The process that has the lock; null when nobody has it any more. */
async function currentOwner(sql: postgresJs.Sql): Promise<number | null> {
  const rows = await sql<{ name: string }[]>`
    select application_name as name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and objid = ${lockKey} and granted`
  return rows[0] === undefined ? null : Number(rows[0].name.replace(applicationName, ''))
}

async function ensureDatabase(sql: postgresJs.Sql, name: string): Promise<void> {
  const found = await sql`select 1 from pg_database where datname = ${name}`
  if (found.length === 0) await sql`create database ${sql(name)}`
}

/** The server was being stopped while we came: it is for the caller to start it again. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(57P0[123]|ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|CONNECTION_.*|CONNECT_TIMEOUT)$/.test(code)
}
