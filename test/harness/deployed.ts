import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseConfig } from '../../src/app/config.ts'
import { serve } from '../../src/app/serve.ts'
import { createLog } from '../../src/platform/log.ts'
import { NOBODY_IS_TURNED_AWAY } from './handover.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

export type DeployedHandover = {
  /** Where the test reaches it; to everybody else it is at `AUTH_URL`. */
  url: string
  database: TestDatabase
  logged: string[]
  stop: () => Promise<void>
}

export const DEPLOYED_AUTH_URL = 'https://id.example.com'

/** The service as an operator runs it, not in demo mode: behind one proxy, with a configured address, without seeded data. */
export async function startDeployed(env: Record<string, string> = {}): Promise<DeployedHandover> {
  const database = await createTestDatabase()
  const dataFolder = await mkdtemp(join(tmpdir(), 'handover-deployed-'))
  const logged: string[] = []
  const config = parseConfig({
    AUTH_URL: DEPLOYED_AUTH_URL,
    DATABASE_URL: database.url,
    HANDOVER_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
    HANDOVER_TRUST_PROXY: '1',
    HANDOVER_HOST: '127.0.0.1',
    HANDOVER_DATA_DIR: dataFolder,
    HANDOVER_LOG_LEVEL: 'trace',
    HANDOVER_LONGEST_WAIT_MS: NOBODY_IS_TURNED_AWAY,
    PORT: '0',
    METRICS_PORT: '0',
    ...env,
  })
  const log = createLog(config.logLevel, { write: (line) => void logged.push(line) })
  const running = await serve(config, { role: 'all', log, say: () => {} })
  const port = /"port":(\d+)/.exec(logged.join('\n'))?.[1]
  assert.ok(port)
  return {
    url: `http://127.0.0.1:${port}`,
    database,
    logged,
    stop: async () => {
      await running.stop()
      await database.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
