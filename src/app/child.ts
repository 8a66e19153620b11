import cluster from 'node:cluster'
import type { ReadMetrics } from '../platform/metrics.ts'

/** What a parent and its processes say to each other. */
export const READY = 'ready'
export const ALIVE = 'alive'
export const STOP = 'stop'
export const MEASURE = 'measure'
/** The answer to `MEASURE`. */
export type MeasuredMessage = { measured: string }

export const ALIVE_EVERY_MS = 1_000

/** Whether this process is one of several on one port, which another one started. */
export function isChild(): boolean {
  return cluster.isWorker
}

/** From then on it says again and again that it is alive. */
export function tellReady(): void {
  tell(READY)
  setInterval(() => tell(ALIVE), ALIVE_EVERY_MS).unref()
}

/** The parent has the port for metrics, and asks each for its own. */
export function answerParent({ read }: ReadMetrics): void {
  process.on('message', (message) => {
    if (message === MEASURE) void read().then((measured) => tell({ measured } satisfies MeasuredMessage))
  })
}

/**
 * Until the parent says so; when it is gone, node:cluster ends us by itself. Signals are the parent's to read: a terminal sends
 * them to everybody.
 */
export function askedByParent(): Promise<void> {
  // Gone before it was noticed, while we asked it for our port: no fault of ours to print a stack for.
  cluster.worker?.on('error', () => process.exit(1))
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  return new Promise((resolve) => {
    process.on('message', (message) => message === STOP && resolve())
  })
}

/** A parent that is gone is no fault to end by. */
function tell(message: string | MeasuredMessage): void {
  process.send?.(message, undefined, undefined, () => {})
}
