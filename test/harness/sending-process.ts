import { type HandoverProcess, runHandover } from './process.ts'
import type { SendingScene } from './sending-scene.ts'

/** One half of the service, in a process of its own on the database of the scene. */
export type SendingProcess = {
  url: string
  pid: number
  process: HandoverProcess
  stop: () => Promise<void>
  /** As a crash or the kernel would, in the middle of whatever it does. */
  kill: () => Promise<void>
  /** Frozen and thawed: it does not notice that time passes. */
  freeze: () => void
  thaw: () => void
}

export async function startWorkerOf(
  scene: SendingScene,
  role: 'web' | 'worker' = 'worker',
  env: Record<string, string> = {},
): Promise<SendingProcess> {
  const running = runHandover(['serve', '--only', role], {
    HANDOVER_DEMO: '1',
    AUTH_URL: scene.url,
    DATABASE_URL: scene.databaseUrl,
    HANDOVER_DATA_DIR: scene.dataFolder,
    HANDOVER_LOG_LEVEL: 'info',
    PORT: '0',
    METRICS_PORT: '0',
    RECEIVER_PORT: '0',
    ...env,
  })
  const port = (await running.says(/"port":(\d+),/))[1]
  const { child } = running
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await running.ended
  }
  return {
    url: `http://localhost:${port}`,
    pid: child.pid ?? 0,
    process: running,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}
