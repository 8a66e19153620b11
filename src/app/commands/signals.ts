import type { Log } from '../../platform/log.ts'
import type { Running } from '../serve.ts'

/**
 * Runs until SIGTERM or SIGINT, then stops in order. A signal during the start waits for the start to end, so that nothing
 * is left half made; a second signal means now, and what that leaves behind the next start picks up.
 */
export async function untilStopped(start: () => Promise<Running>, log: Log): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    let signals = 0
    const onSignal = (): void => {
      signals += 1
      if (signals > 1) process.exit(130)
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
  const running = await start()
  await asked
  log.info('stopping')
  await running.stop()
  log.info('stopped')
}
