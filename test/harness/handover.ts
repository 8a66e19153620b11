import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseConfig } from '../../src/app/config.ts'
import { startDemo } from '../../src/app/demo/start-demo.ts'
import type { Running } from '../../src/app/serve.ts'
import { createLog } from '../../src/platform/log.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** However slow the machine is: a test of something else must not meet it. */
export const NOBODY_IS_TURNED_AWAY = '60000'

export type TestHandover = Running & {
  /** Where it answers. */
  url: string
  database: TestDatabase
  /** What demo mode wrote for newcomers. */
  demo: Record<string, string>
  /** Every log line so far. */
  logged: string[]
  dataFolder: string
}

/**
 * The whole service in this process, in demo mode, on a database and ports of its own. `between` names another way to that
 * database, such as a proxy.
 */
export async function startHandover(
  env: Record<string, string> = {},
  between: (databaseUrl: string) => string = (url) => url,
): Promise<TestHandover> {
  const database = await createTestDatabase()
  const dataFolder = await mkdtemp(join(tmpdir(), 'handover-service-'))
  const logged: string[] = []
  const config = parseConfig({
    HANDOVER_DEMO: '1',
    DATABASE_URL: between(database.url),
    HANDOVER_DATA_DIR: dataFolder,
    HANDOVER_LOG_LEVEL: 'trace',
    HANDOVER_LONGEST_WAIT_MS: NOBODY_IS_TURNED_AWAY,
    PORT: '0',
    METRICS_PORT: '0',
    RECEIVER_PORT: '0',
    ...env,
  })
  const log = createLog(config.logLevel, { write: (line) => void logged.push(line) })
  const running = await startDemo(config, { role: 'all', log, say: () => {} })
  return {
    ...running,
    url: running.addresses.authUrl,
    database,
    demo: await readEnvFile(join(dataFolder, 'demo.env')),
    logged,
    dataFolder,
    stop: async () => {
      await running.stop()
      await database.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

export async function readEnvFile(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}
