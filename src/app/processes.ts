import cluster, { type Worker as Child } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import { OperatorError } from '../platform/operator-error.ts'
import { READY, STOP } from './child.ts'
import { measuredByAll } from './children-metrics.ts'
import type { Config } from './config.ts'
import { killWhenHung } from './hung-child.ts'
import { claimPort, type Listener } from './listener.ts'
import { answerMetrics } from './metrics-endpoint.ts'
import type { Role } from './serve.ts'
import { openStorage, type Storage } from './storage.ts'

/** One of the processes, whichever it is at the moment. */
type Place = { number: number; role: Role }

/** Longer than a child takes to stop in order. */
const CHILD_PATIENCE_MS = 16_000
const SHORTEST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
/** Whoever lived for so long did not die of its start. */
const SETTLED_MS = 60_000

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
  const ready = new Map<number, Child>()

  async function stop(): Promise<void> {
    stopping.abort()
    const children = Object.values(cluster.workers ?? {}).filter((child) => child !== undefined)
    await Promise.all(children.map(stopChild))
    await metricsListener?.close(0)
    await storage?.close()
  }

  /** Answers when it is ready to be asked. One that dies before that, at the start, is a start that failed. */
  async function startChild(place: Place, pausedMs = 0): Promise<void> {
    const { number } = place
    cluster.setupPrimary({ args: ['serve', ...(place.role === 'all' ? [] : ['--only', place.role])] })
    const child = cluster.fork()
    const isReady = new Promise<boolean>((resolve) => {
      child.on('message', (message) => {
        if (message !== READY) return
        // What it was told while it was still loading it has not heard.
        if (stopping.signal.aborted) tellToStop(child)
        resolve(true)
      })
      child.once('exit', () => resolve(false))
      // There was no room for another process, or the one there is cannot be told anything: its end says the rest.
      child.on('error', (error) => {
        log.error({ err: error, process: number }, 'a process cannot be reached')
        resolve(false)
      })
    })
    if (!(await isReady)) throw new OperatorError('One of its processes could not start; what it said stands above.')
    ready.set(number, child)
    killWhenHung(child, () => log.error({ process: number, pid: child.process.pid }, 'a process hangs; it is killed'))
    const since = performance.now()
    child.once('exit', (code, signal) => {
      ready.delete(number)
      if (stopping.signal.aborted) return
      log.error({ process: number, pid: child.process.pid, code, signal }, 'a process ended; another takes its place')
      void startAgain(place, performance.now() - since > SETTLED_MS ? SHORTEST_PAUSE_MS : longer(pausedMs))
    })
  }

  async function startAgain(place: Place, pauseMs: number): Promise<void> {
    await sleep(pauseMs, undefined, { ref: false })
    if (stopping.signal.aborted) return
    const failed = await startChild(place, pauseMs).then(
      () => false,
      () => true,
    )
    if (!failed || stopping.signal.aborted) return
    log.error({ process: place.number, nextTryMs: longer(pauseMs) }, 'a process could not be started')
    await startAgain(place, longer(pauseMs))
  }

  try {
    metricsListener = await claimPort(config.host, config.metricsPort, 'METRICS_PORT')
    if (config.databaseUrl === null) storage = await openStorage(config, say)
    // The first one migrates; who comes after it finds everything ready.
    await startChild({ number: 1, role })
    const others = Array.from({ length: config.webProcesses - 1 }, (_, position) => position + 2)
    await Promise.all(others.map((number) => startChild({ number, role: 'web' })))
    answerMetrics(metricsListener, measuredByAll(ready))
    log.info({ metricsPort: metricsListener.port, processes: config.webProcesses }, 'all processes are ready')
    return { stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function longer(pauseMs: number): number {
  return Math.min(Math.max(pauseMs * 2, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)
}

async function stopChild(child: Child): Promise<void> {
  if (child.isDead()) return
  const ended = new Promise((done) => child.once('exit', done))
  tellToStop(child)
  const cut = setTimeout(() => child.process.kill('SIGKILL'), CHILD_PATIENCE_MS)
  await ended
  clearTimeout(cut)
}

/** Not by a signal: a terminal has sent them one already, and the second means that nothing is waited for. */
function tellToStop(child: Child): void {
  child.send(STOP, () => {})
}
