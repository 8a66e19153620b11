import type { Door } from '../http/door.ts'
import { type Bell, hangBell } from '../platform/bell.ts'
import type { Log } from '../platform/log.ts'
import { startTracing, type Tracing } from '../platform/tracing.ts'
import { within } from '../platform/within.ts'
import { type Addresses, addressesOf } from './addresses.ts'
import { answerParent, isChild } from './child.ts'
import type { Config } from './config.ts'
import { type Deps, openDeps } from './deps.ts'
import { type Identity, openIdentity } from './identity.ts'
import { claimPort, type Listener } from './listener.ts'
import { answerMetrics } from './metrics-endpoint.ts'
import { buildServer } from './server.ts'
import { startWorker, type Worker } from './worker.ts'

/** Which parts this process runs (decision A2): everything, or one half when there is more than one machine. */
export type Role = 'all' | 'web' | 'worker'

export type Running = { addresses: Addresses; metricsPort: number; deps: Deps; stop: () => Promise<void> }

export type ServeOptions = {
  role: Role
  log: Log
  /** Lines for the person at the terminal. */
  say: (line: string) => void
  /** Runs when the database is ready and nothing is served yet; demo mode seeds here, and has doors of its own. */
  prepare?: (deps: Deps, addresses: Addresses) => Promise<readonly Door[]>
}

const STOP_PATIENCE_MS = 10_000
/** Background work is safe to repeat; what waits for a database that hangs is ended by the pool, which closes next. */
const BACKGROUND_PATIENCE_MS = 3_000

/**
 * The order matters: ports first, so that a port in use costs nothing; then the database; requests are answered only when
 * everything behind them is ready.
 */
export async function serve(config: Config, { role, log, say, prepare }: ServeOptions): Promise<Running> {
  const listeners: Listener[] = []
  let tracing: Tracing | null = null
  let deps: Deps | null = null
  let identity: Identity | null = null
  let worker: Worker | null = null
  let bell: Bell | null = null

  // What is in flight still needs what is behind it, so the ports close first and the database last.
  async function stop(): Promise<void> {
    // They never finish by themselves.
    void identity?.api.streams.stop()
    await Promise.all(listeners.map((listener) => listener.close(STOP_PATIENCE_MS)))
    const background = Promise.all([worker?.stop(), identity?.stop(), bell?.stop()])
    await within(BACKGROUND_PATIENCE_MS, 'Background work', background).catch((error: unknown) =>
      log.warn({ err: error }, 'background work was cut short'),
    )
    await deps?.close()
    await tracing?.stop()
  }

  try {
    // Of several processes on one port the parent has the port for metrics, and asks each for its own.
    const metricsListener = isChild() ? null : await claimPort(config.host, config.metricsPort, 'METRICS_PORT')
    if (metricsListener) listeners.push(metricsListener)
    const listener = await claimPort(config.host, config.port, 'PORT')
    listeners.push(listener)
    const addresses = addressesOf(config, listener.port)

    tracing = await startTracing(config.otlpUrl)
    deps = await openDeps(config, log, say)
    const more = (await prepare?.(deps, addresses)) ?? []
    bell = hangBell(deps.db, 'handover_deliveries', {
      others: config.databasePrepare,
      failed: (error) => log.warn({ err: error }, 'other processes could not be woken'),
    })
    if (role !== 'worker') identity = await openIdentity(deps, bell, addresses)
    if (role !== 'web') worker = startWorker(deps, bell, addresses)

    const answer = await buildServer(deps, addresses, { worker, identity, more })
    if (metricsListener) answerMetrics(metricsListener, deps.metrics)
    else answerParent(deps.metrics)
    listener.answer(answer)
    const metricsPort = metricsListener?.port ?? config.metricsPort
    log.info({ port: listener.port, metricsPort, role, demo: config.demo }, 'ready')
    return { addresses, metricsPort, deps, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
