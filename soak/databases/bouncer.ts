import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPgBouncer } from '../../test/harness/pgbouncer.ts'
import type { SoakDatabase } from '../database.ts'
import { createPostgresServer } from './postgres-server.ts'

/** Fewer than three services have in their pools, so that everybody meets everybody's connections. */
const SERVER_CONNECTIONS = 8

/** PgBouncer in transaction mode between the services and PostgreSQL. */
export async function startBehindBouncer(): Promise<SoakDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-soak-bouncer-'))
  const server = await createPostgresServer({ folder })
  const bouncer = await startPgBouncer({ serverConnections: SERVER_CONNECTIONS, serverUrl: server.url })
  return {
    url: bouncer.urlOf({ url: server.url }),
    env: { HANDOVER_DATABASE_PREPARE: 'off' },
    faults: {
      /** It is killed, and started again. */
      restartBouncer: () => bouncer.restart(),
      /** Its connections to the server are replaced, each as soon as nobody is on it. */
      reconnect: () => bouncer.command('reconnect'),
      /** Transactions under way end, new ones wait. */
      pause: () => bouncer.command('pause handover'),
      resume: () => bouncer.command('resume handover'),
      restartServer: async () => {
        await server.end('SIGINT')
        await server.start()
      },
      crashServer: async () => {
        await server.end('SIGKILL')
        await server.start()
      },
    },
    log: async () => `${await server.log()}\n${bouncer.log()}`,
    adminUrl: () => server.url,
    stop: async () => {
      await bouncer.stop()
      await server.remove()
    },
  }
}
