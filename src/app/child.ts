import cluster from 'node:cluster'

/** What a parent and its processes say to each other. */
export const READY = 'ready'
export const STOP = 'stop'

/** Whether this process is one of several on one port, which another one started. */
export function isChild(): boolean {
  return cluster.isWorker
}

export function tellReady(): void {
  process.send?.(READY)
}

/** Until the parent says so, or is gone. Signals are the parent's to read: a terminal sends them to everybody. */
export function askedByParent(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  return new Promise((resolve) => {
    process.on('message', (message) => message === STOP && resolve())
    process.once('disconnect', () => resolve())
  })
}
