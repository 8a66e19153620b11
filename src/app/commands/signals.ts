import type { Log } from '../../platform/log.ts'
import { askedByParent, isChild, tellReady } from '../child.ts'

/** A start that waits for something (another's migration, a recovery) is not waited for any longer than a stop may take. */
const START_PATIENCE_MS = 10_000

/**
 * Runs until SIGTERM or SIGINT, or until the terminal goes away, then stops in order. A signal during the start waits for the
 * start to end, so that nothing is left half made; a second signal means now, and what that leaves behind the next start
 * picks up.
 */
export async function untilStopped(start: () => Promise<{ stop: () => Promise<void> }>, log: Log): Promise<void> {
  const asked = isChild() ? askedByParent() : askedBySignal()
  let started = false
  void asked.then(() => setTimeout(() => started || process.exit(130), START_PATIENCE_MS).unref())
  const running = await start()
  started = true
  if (isChild()) tellReady()
  await asked
  log.info('stopping')
  await running.stop()
  log.info('stopped')
  if (process.connected) process.disconnect()
}

function askedBySignal(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0
    const onSignal = (): void => {
      signals += 1
      if (signals > 1) process.exit(130)
      resolve()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
  })
}
