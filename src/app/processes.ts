import cluster, { type Worker as Child } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import { gatheredMetrics } from '../platform/metrics.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { READY, STOP } from './child.ts'
import type { Config } from './config.ts'
import { claimPort, type Listener } from './listener.ts'
import { answerMetrics } from './metrics-endpoint.ts'
import type { Role } from './serve.ts'
import { openStorage, type Storage } from './storage.ts'

/** Longer than a child takes to stop in order. */
const CHILD_PATIENCE_MS = 16_000
const SHORTEST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/**
 * As many processes as HANDOVER_WORKERS says, on one port (decision record 88). This one answers nobody but Prometheus: it holds
 * what there is only one of, the embedded database and the metrics port, and keeps the others running. The first of them
 * also does the background work, unless the role leaves that to other machines.
 */
export async function startProcesses(
  config: Config,
  { role, log, say }: { role: Exclude<Role, 'worker'>; log: Log; say: (line: string) => void },
): Promise<{ stop: () => Promise<void> }> {
  let metricsListener: Listener | null = null
  let storage: Storage | null = null
  const stopping = new AbortController()

  async function stop(): Promise<void> {
    stopping.abort()
    const children = Object.values(cluster.workers ?? {}).filter((child) => child !== undefined)
    await Promise.all(children.map(stopChild))
    await metricsListener?.close(0)
    await storage?.close()
  }

  /** Answers when it is ready to be asked. One that dies before that, at the start, is a start that failed. */
  async function startChild(childRole: Role): Promise<void> {
    cluster.setupPrimary({ args: ['serve', ...(childRole === 'all' ? [] : ['--only', childRole])] })
    const child = cluster.fork()
    const isReady = new Promise<boolean>((resolve) => {
      child.on('message', (message) => message === READY && resolve(true))
      child.once('exit', () => resolve(false))
    })
    if (!(await isReady)) throw new OperatorError('One of its processes could not start; what it said stands above.')
    child.once('exit', (code, signal) => {
      if (stopping.signal.aborted) return
      log.error({ pid: child.process.pid, code, signal }, 'a process ended; another takes its place')
      void startAgain(childRole)
    })
  }

  async function startAgain(childRole: Role): Promise<void> {
    for (let pauseMs = SHORTEST_PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await sleep(pauseMs, undefined, { ref: false })
      if (stopping.signal.aborted) return
      const failed = await startChild(childRole).then(
        () => false,
        () => true,
      )
      if (!failed) return
      log.error({ nextTryMs: pauseMs * 2 }, 'a process could not be started')
    }
  }

  try {
    metricsListener = await claimPort(config.host, config.metricsPort, 'METRICS_PORT')
    if (config.databaseUrl === null) storage = await openStorage(config, say)
    // The first one migrates; who comes after it finds everything ready.
    await startChild(role)
    await Promise.all(Array.from({ length: config.webProcesses - 1 }, () => startChild('web')))
    answerMetrics(metricsListener, gatheredMetrics())
    log.info({ metricsPort: metricsListener.port, processes: config.webProcesses }, 'all processes are ready')
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function stopChild(child: Child): Promise<void> {
  if (child.isDead()) return
  const ended = new Promise((done) => child.once('exit', done))
  // Not by a signal: a terminal has sent them one already, and the second means that nothing is waited for.
  child.send(STOP, () => {})
  const cut = setTimeout(() => child.process.kill('SIGKILL'), CHILD_PATIENCE_MS)
  await ended
  clearTimeout(cut)
}
