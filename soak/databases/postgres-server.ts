import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/platform/db.ts'
import { chooseAccount } from '../../src/platform/embedded-postgres/account.ts'
import { type Binaries, findBinaries } from '../../src/platform/embedded-postgres/binaries.ts'
import { reasonOf } from '../../src/platform/embedded-postgres/failure.ts'
import { type Account, asAccount, runAs } from '../../src/platform/embedded-postgres/run-as.ts'
import { quietPort } from '../../test/harness/quiet-port.ts'

/** A PostgreSQL as an operator has one: the same port and log after every start, each commit synced, nobody who watches over it. */
export type PostgresServer = {
  /** The database of the services, as the superuser. */
  url: string
  port: number
  clusterFolder: string
  /** With the settings of the last start if none are given; waits until it takes connections. */
  start: (settings?: Record<string, string>) => Promise<void>
  /** SIGINT and SIGQUIT as PostgreSQL knows them; SIGKILL takes all of its processes at once, as a power cut does. */
  end: (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL') => Promise<void>
  run: (statement: string) => Promise<void>
  /** Of every start. */
  log: () => Promise<string>
  /** A cold copy in another folder, with a port of its own, not started; only while this one does not run. */
  copyTo: (folder: string) => Promise<PostgresServer>
  /** Ends it, and takes its folder away. */
  remove: () => Promise<void>
}

type Plan = {
  folder: string
  clusterFolder: string
  account: Account
  binaries: Binaries
  env: Record<string, string>
  password: string
  port: number
}

const ROLE = 'handover'
const DATABASE = 'handover'
/** Recovery after a crash is part of a start. */
const START_PATIENCE_MS = 60_000

// What a soak that failed leaves behind would run for ever.
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** One that runs, with an empty database. Its data and its write-ahead log may lie on other disks than its log. */
export async function createPostgresServer({
  folder,
  env = {},
  settings = {},
  dataFolder = folder,
  walFolder,
}: {
  folder: string
  env?: Record<string, string>
  settings?: Record<string, string>
  dataFolder?: string
  walFolder?: string
}): Promise<PostgresServer> {
  await chmod(folder, 0o755)
  const clusterFolder = join(dataFolder, 'cluster')
  const account = await chooseAccount(clusterFolder)
  const binaries = await findBinaries(account, undefined, [join(tmpdir(), 'handover-soak-programs'), folder])
  const password = randomBytes(16).toString('hex')
  await makeFolder(clusterFolder, account)
  if (walFolder !== undefined) await makeFolder(walFolder, account)
  const names = ['--pgdata', clusterFolder, '--username', ROLE, '--encoding', 'UTF8', '--no-locale']
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (account.other) await chown(passwordFile, account.uid, account.gid)
  const rules = ['--auth', 'scram-sha-256', '--pwfile', passwordFile]
  const args = [...names, ...rules, ...(walFolder === undefined ? [] : ['--waldir', walFolder])]
  const made = await runAs(account, binaries.initdb, args)
  if (made.code !== 0) throw new Error(`initdb failed: ${reasonOf(made)}`)
  const server = serverOf({ folder, clusterFolder, account, binaries, env, password, port: await quietPort() })
  await server.start(settings)
  await server.run(`create database ${DATABASE}`)
  return server
}

function serverOf(plan: Plan): PostgresServer {
  const { folder, clusterFolder, account, binaries, env, password, port } = plan
  const logFile = join(folder, 'postgres.log')
  const urlOf = (database: string) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`
  const log = () => readFile(logFile, 'utf8').catch(() => '')
  let child: ChildProcess | null = null
  let settings: Record<string, string> = {}

  const lives = () => child !== null && child.exitCode === null && child.signalCode === null

  async function launch(): Promise<void> {
    const all = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      shared_buffers: '32MB',
      ...settings,
    }
    const output = await open(logFile, 'a', 0o600)
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { env: plain, ...options } = asAccount(account)
    child = spawn(binaries.postgres, ['-D', clusterFolder, ...args], {
      ...options,
      env: { ...plain, ...env },
      stdio: ['ignore', output.fd, output.fd],
    })
    const launched = child
    running.add(launched)
    launched.on('error', () => {}).on('exit', () => running.delete(launched))
    await output.close()
  }

  async function run(statement: string): Promise<void> {
    const db = openDatabase({ url: urlOf('postgres') }, { prepare: false, poolSize: 1 })
    try {
      await db.unsafe(statement)
    } finally {
      await db.end({ timeout: 1 })
    }
  }

  async function end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    if (child?.pid === undefined || !lives()) return
    const ended = once(child, 'exit')
    if (signal === 'SIGKILL') await killAll(child.pid)
    else child.kill(signal)
    await ended
  }

  return {
    url: urlOf(DATABASE),
    port,
    clusterFolder,
    start: async (given = settings) => {
      settings = given
      for (const deadline = Date.now() + START_PATIENCE_MS; Date.now() < deadline; await sleep(50)) {
        // One that was killed may hold its shared memory for a moment longer, and the next gives up at once.
        if (!lives()) await launch()
        const answers = await run('select 1').then(
          () => true,
          () => false,
        )
        if (answers) return
      }
      throw new Error(`PostgreSQL did not start: ${(await log()).slice(-2_000)}`)
    },
    end,
    run,
    log,
    copyTo: async (other) => {
      await chmod(other, 0o755)
      const copied = join(other, 'cluster')
      await cp(clusterFolder, copied, { recursive: true, verbatimSymlinks: true })
      await handOver(copied, account)
      return serverOf({ ...plan, folder: other, clusterFolder: copied, port: await quietPort() })
    },
    remove: async () => {
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** The first process is held still before, so that it makes no new one while those that it made are found. */
async function killAll(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(each, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

async function makeFolder(folder: string, account: Account): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (account.other) await chown(folder, account.uid, account.gid)
}

/** What root copies belongs to root. */
async function handOver(folder: string, account: Account): Promise<void> {
  if (!account.other) return
  const us = { ...account, other: false }
  const { code } = await runAs(us, 'chown', ['-R', `${account.uid}:${account.gid}`, folder])
  if (code !== 0) throw new Error(`${folder} could not be given to ${account.name}`)
}
