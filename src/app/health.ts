import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { DATABASE_PATIENCE_MS, type Db } from '../platform/db.ts'
import { type Migration, migrationState } from '../platform/migrate.ts'
import { within } from '../platform/within.ts'
import type { Worker } from './worker.ts'

type Check = 'ok' | 'unreachable' | 'pending' | 'stalled' | 'full'

/** The embedded PostgreSQL writes its log in files of 16 MB and ends when it cannot make the next. */
const LEAST_SPACE_BYTES = 2 * 16 * 1024 * 1024

/** Never turned away, however much is asked of the service. */
const ALWAYS = { config: { neverShed: true } } as const

/** Alive is not ready: /healthz says the process answers, /readyz that it can do its work. */
export function healthRoutes(
  app: FastifyInstance,
  parts: {
    db: Db
    migrations: readonly Migration[]
    worker: Worker | null
    /** The data folder of the embedded database; the disk of another server is its operator's to watch. */
    embeddedIn: string | null
  },
): void {
  app.get('/healthz', ALWAYS, async () => ({ status: 'alive' }))

  let underway: Promise<{ database: Check; migrations: Check }> | null = null
  // Many probes, one question: while the database hangs, probes must not pile up behind each other in the pool.
  const askDatabase = () => {
    underway ??= checkDatabase(parts.db, parts.migrations).finally(() => {
      underway = null
    })
    return underway
  }

  app.get('/readyz', ALWAYS, async (_, reply) => {
    const checks: Record<string, Check> = await askDatabase()
    if (parts.embeddedIn !== null) checks['disk'] = await checkDisk(parts.embeddedIn)
    if (parts.worker) checks['worker'] = parts.worker.alive() ? 'ok' : 'stalled'
    const ready = Object.values(checks).every((check) => check === 'ok')
    if (!ready) reply.header('retry-after', '1')
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks })
  })
}

async function checkDatabase(
  db: Db,
  migrations: readonly Migration[],
): Promise<{ database: Check; migrations: Check }> {
  try {
    const state = await within(DATABASE_PATIENCE_MS, 'The readiness check', migrationState(db, migrations))
    // A newer process has migrated already; this one goes on until it is replaced, or a rolling upgrade would be an outage.
    return { database: 'ok', migrations: state === 'pending' ? 'pending' : 'ok' }
  } catch {
    return { database: 'unreachable', migrations: 'unreachable' }
  }
}

async function checkDisk(folder: string): Promise<Check> {
  // Below it, because that may be a link to another disk.
  const disk = await statfs(join(folder, 'postgres')).catch(() => null)
  if (disk === null) return 'unreachable'
  return disk.bavail * disk.bsize < LEAST_SPACE_BYTES ? 'full' : 'ok'
}
