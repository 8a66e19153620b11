import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCuttableProxy } from '../../test/harness/cuttable-proxy.ts'
import type { SoakDatabase } from '../database.ts'
import { createPostgresServer } from './postgres-server.ts'

const LATE_MS = 50

/** A network between the services and PostgreSQL, and what networks do. */
export async function startCuttable(): Promise<SoakDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-soak-cuttable-'))
  const server = await createPostgresServer({ folder })
  const proxy = await startCuttableProxy({ host: '127.0.0.1', port: server.port })
  const through = new URL(server.url)
  through.port = String(proxy.port)
  return {
    url: through.href,
    faults: {
      /** Every connection is reset, and new ones are taken again. */
      reset: async () => {
        await proxy.cut('reset')
        await proxy.mend()
      },
      /** Nobody is there any more. */
      refuse: () => proxy.cut('refuse'),
      /** Not a byte goes through, and nobody is told: what is open stays open on both sides, also when it is mended. */
      silence: () => proxy.cut('swallow'),
      slow: async () => proxy.slow(LATE_MS),
      mend: async () => {
        proxy.slow(0)
        await proxy.mend()
      },
    },
    log: server.log,
    adminUrl: () => server.url,
    stop: async () => {
      await proxy.close()
      await server.remove()
    },
  }
}
