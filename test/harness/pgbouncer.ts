import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listens } from './listens.ts'
import { quietPort } from './quiet-port.ts'
import { testServerUrl } from './test-database.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((place) => existsSync(place))

/** False, or why the tests behind it cannot run here. */
export const pgbouncerMissing = PROGRAM === undefined && 'PgBouncer is not installed: apt-get install pgbouncer'

export type PgBouncer = {
  /** How a database of the test run's server is reached through it. */
  urlOf(database: { url: string }): string
  stop(): Promise<void>
}

/** PgBouncer in transaction mode in front of the test run's server, with very few connections to it for very many clients. */
export async function startPgBouncer({ serverConnections }: { serverConnections: number }): Promise<PgBouncer> {
  if (PROGRAM === undefined) throw new Error('There is no PgBouncer on this machine')
  const server = new URL(testServerUrl())
  const port = await quietPort()
  const folder = await mkdtemp(join(tmpdir(), 'handover-pgbouncer-'))
  await chmod(folder, 0o755)
  const file = async (name: string, lines: string[]) => {
    await writeFile(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o644 })
    return join(folder, name)
  }
  const users = await file('users.txt', [`"${server.username}" "${server.password}"`])
  const settings = await file('pgbouncer.ini', [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    `default_pool_size = ${serverConnections}`,
    'max_client_conn = 500',
  ])
  const program = spawn(PROGRAM, [settings], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...unprivileged() })
  let said = ''
  program.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const ended = once(program, 'close')
  const stop = async () => {
    program.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  if (!(await listens(port, program))) {
    await stop()
    throw new Error(`PgBouncer did not start: ${said}`)
  }
  return {
    urlOf: ({ url }) => {
      const through = new URL(url)
      through.port = String(port)
      return through.href
    },
    stop,
  }
}

/** It refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {}
}

function idOfNobody(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
}
