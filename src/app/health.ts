import type { FastifyInstance } from 'fastify'
import { DATABASE_PATIENCE_MS, type Db } from '../platform/db.ts'
import { type Migration, migrationState } from '../platform/migrate.ts'
import { within } from '../platform/within.ts'
import type { Worker } from './worker.ts'

type Check = 'ok' | 'unreachable' | 'pending' | 'newer' | 'stalled'

/** Alive is not ready: /healthz says the process answers, /readyz that it can do its work. */
export function healthRoutes(
  app: FastifyInstance,
  parts: { db: Db; migrations: readonly Migration[]; worker: Worker | null },
): void {
  app.get('/healthz', async () => ({ status: 'alive' }))

  let underway: Promise<{ database: Check; migrations: Check }> | null = null
  // Many probes, one question: while the database hangs, probes must not pile up behind each other in the pool.
  const askDatabase = () => {
    underway ??= checkDatabase(parts.db, parts.migrations).finally(() => {
      underway = null
    })
    return underway
  }

  app.get('/readyz', async (_, reply) => {
    const checks: Record<string, Check> = await askDatabase()
    if (parts.worker) checks['worker'] = parts.worker.alive() ? 'ok' : 'stalled'
    const ready = Object.values(checks).every((check) => check === 'ok')
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks })
  })
}

async function checkDatabase(
  db: Db,
  migrations: readonly Migration[],
): Promise<{ database: Check; migrations: Check }> {
  try {
    const state = await within(DATABASE_PATIENCE_MS, 'The readiness check', migrationState(db, migrations))
    return { database: 'ok', migrations: state === 'done' ? 'ok' : state }
  } catch {
    return { database: 'unreachable', migrations: 'unreachable' }
  }
}
