import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SoakDatabase } from '../database.ts'
import { createPostgresServer } from './postgres-server.ts'

/** One PostgreSQL with nothing in between. It can be restarted in order, or die in the middle of everything. */
export async function startAlone({ env = {} }: { env?: Record<string, string> } = {}): Promise<SoakDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-soak-alone-'))
  const server = await createPostgresServer({ folder, env })
  const restart = async (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL') => {
    await server.end(signal)
    await server.start()
  }
  return {
    url: server.url,
    faults: {
      /** As an administrator does: everybody is sent away, and all is written down. */
      restart: () => restart('SIGINT'),
      /** Everybody is dropped where they stand, and the next start recovers from the log. */
      immediate: () => restart('SIGQUIT'),
      /** As a machine without power. */
      crash: () => restart('SIGKILL'),
      stop: () => server.end('SIGINT'),
      start: () => server.start(),
    },
    log: server.log,
    adminUrl: () => server.url,
    stop: server.remove,
  }
}
