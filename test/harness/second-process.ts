import type { TestHandover } from './handover.ts'
import { runHandover } from './process.ts'

export type SecondProcess = {
  url: string
  stop: () => Promise<void>
  /** As a crash or the kernel would, in the middle of whatever it does. */
  kill: () => Promise<void>
}

/** Another process of the same deployment: the same database, master key and issuer, on a port of its own. */
export async function startSecondProcess(
  service: TestHandover,
  databaseUrl = service.database.url,
  env: Record<string, string> = {},
): Promise<SecondProcess> {
  const second = runHandover(['serve'], {
    HANDOVER_DEMO: '1',
    AUTH_URL: service.url,
    DATABASE_URL: databaseUrl,
    HANDOVER_DATA_DIR: service.dataFolder,
    HANDOVER_LOG_LEVEL: 'info',
    PORT: '0',
    METRICS_PORT: '0',
    RECEIVER_PORT: '0',
    ...env,
  })
  const port = (await second.says(/"port":(\d+),/))[1]
  return {
    url: `http://localhost:${port}`,
    stop: async () => {
      second.child.kill('SIGTERM')
      await second.ended
    },
    kill: async () => {
      second.child.kill('SIGKILL')
      await second.ended
    },
  }
}
