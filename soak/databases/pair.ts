import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/platform/db.ts'
import type { SoakDatabase } from '../database.ts'
import { createPostgresServer, type PostgresServer } from './postgres-server.ts'

const STANDBY = 'standby'
const PATIENCE_MS = 30_000

/** A primary that tells nobody of a commit before its standby has it, too. */
export async function startPair(): Promise<SoakDatabase> {
  const first = await createPostgresServer({ folder: await makeFolder() })
  await first.end('SIGINT')
  const second = await first.copyTo(await makeFolder())
  await writeFile(join(second.clusterFolder, 'standby.signal'), '')
  await first.start({ synchronous_standby_names: STANDBY })
  // Its own settings: promoted, it waits for nobody.
  await second.start({ primary_conninfo: conninfo(first) })
  await inStep(first)
  let primary = first

  return {
    url: first.url.replace(`:${first.port}/`, `:${first.port},127.0.0.1:${second.port}/`),
    faults: {
      /** The primary's machine is gone at once, and the standby takes over. */
      promote: async () => {
        await first.end('SIGKILL')
        await second.run('select pg_promote()')
        primary = second
      },
      /** Somebody starts the old primary as it was, which knows nothing of what happened since. */
      returnOld: () => first.start({ synchronous_standby_names: '' }),
    },
    log: async () => (await Promise.all([first.log(), second.log()])).join('\n'),
    adminUrl: () => primary.url,
    stop: async () => {
      await first.remove()
      await second.remove()
    },
  }
}

const makeFolder = () => mkdtemp(join(tmpdir(), 'handover-soak-pair-'))

function conninfo(primary: PostgresServer): string {
  const { username, password, hostname, port } = new URL(primary.url)
  return `host=${hostname} port=${port} user=${username} password=${password} application_name=${STANDBY}`
}

/** Until then a commit would wait, which is right, and a promotion would lose, which is not the fault that is meant. */
async function inStep(primary: PostgresServer): Promise<void> {
  const db = openDatabase({ url: primary.url }, { prepare: false, poolSize: 1 })
  try {
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
      const rows = await db`select 1 from pg_stat_replication where sync_state = 'sync'`
      if (rows.length > 0) return
    }
    throw new Error(`The standby does not follow: ${(await primary.log()).slice(-2_000)}`)
  } finally {
    await db.end({ timeout: 1 })
  }
}
