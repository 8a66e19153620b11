import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { listens } from './listens.ts'
import { quietPort } from './quiet-port.ts'
import { testServerUrl } from './test-database.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((place) => existsSync(place))

/** False, or why the tests behind it cannot run here. */
export const pgbouncerMissing = PROGRAM === undefined && 'PgBouncer is not installed: apt-get install pgbouncer'

export type PgBouncer = {
  /** How a database of the test run's server is reached through it. */
  urlOf(database: { url: string }): string
  /** Told to its administration console, such as `pause`. */
  command(command: string): Promise<void>
  /** Killed, and started again on the same port. */
  restart(): Promise<void>
  /** What it said so far, over all of its starts. */
  log(): string
  stop(): Promise<void>
}

/** PgBouncer in transaction mode in front of a server, the test run's if none is given, with very few connections to it for very many clients. */
export async function startPgBouncer({
  serverConnections,
  serverUrl = testServerUrl(),
}: {
  serverConnections: number
  serverUrl?: string
}): Promise<PgBouncer> {
  if (PROGRAM === undefined) throw new Error('There is no PgBouncer on this machine')
  const server = new URL(serverUrl)
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
    `admin_users = ${server.username}`,
    'pool_mode = transaction',
    `default_pool_size = ${serverConnections}`,
    'max_client_conn = 500',
    // As the documentation says: left to itself it waits 15 s after a server that was not there.
    'server_login_retry = 1',
  ])
  let said = ''
  const start = async (): Promise<ChildProcess> => {
    const program = spawn(PROGRAM, [settings], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...unprivileged() })
    program.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    if (await listens(port, program)) return program
    await kill(program)
    throw new Error(`PgBouncer did not start: ${said}`)
  }
  let program = await start().catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  const through = (url: string) => Object.assign(new URL(url), { port: String(port) })
  return {
    urlOf: ({ url }) => through(url).href,
    command: async (command) => {
      const console = postgres(Object.assign(through(serverUrl), { pathname: '/pgbouncer' }).href, {
        max: 1,
        fetch_types: false,
      })
      try {
        await console.unsafe(command).simple()
      } finally {
        await console.end({ timeout: 1 })
      }
    },
    restart: async () => {
      await kill(program)
      program = await start()
    },
    log: () => said,
    stop: async () => {
      await kill(program)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function kill(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const ended = once(program, 'close')
  program.kill('SIGKILL')
  await ended
}

/** It refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: idOfNobody('-u'), gid: idOfNobody('-g') } : {}
}

function idOfNobody(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
}
