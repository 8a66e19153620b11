import { spawn } from 'node:child_process'
import { type FileHandle, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setPassword, writeAccessRules } from './access-rules.ts'
import { currentUserName } from './account.ts'
import type { Binaries } from './binaries.ts'
import { failure, isKnown, reasonIn } from './failure.ts'
import { chooseListening, type Listening, removeSocketFolder, socketPort } from './listening.ts'
import { isRunning, worksIn } from './live-process.ts'
import { findPostmaster, type Postmaster, readPostmaster, removeStalePidFile } from './postmaster.ts'
import { type Account, asAccount, codeOf } from './run-as.ts'

export type ServerPlan = {
  place: string
  clusterFolder: string
  account: Account
  binaries: Binaries
  socketParents: string[]
  settings: Record<string, string>
}

type Attempt = { listening: Listening; outcome: () => string | null; log: FileHandle }

/** Crash recovery can take long, and is not to be interrupted. */
const patience = 60_000

/** What the loser of two starts at the same moment says, or one that met the last processes of a dead server. */
const passing = /lock file "postmaster.pid"|pre-existing shared memory block|could not create any TCP\/IP sockets/

/** Returns the live server of the cluster, starting one when there is none. Nobody owns it yet. */
export async function ensureServer(plan: ServerPlan): Promise<Postmaster> {
  const deadline = Date.now() + patience
  let attempt: Attempt | null = null
  try {
    for (;;) {
      const postmaster = await findPostmaster(plan.clusterFolder)
      if (postmaster?.ready === true) return postmaster
      const ended: string | null = attempt === null ? null : attempt.outcome()
      if (ended !== null && !passing.test(ended)) throw await couldNotStart(plan, reasonIn(ended))
      if (Date.now() > deadline) throw await couldNotStart(plan, `it was not ready after ${patience / 1000} seconds`)
      if (postmaster === null && (attempt === null || ended !== null)) {
        await dispose(attempt, null)
        attempt = await start(plan)
      }
      await sleep(ended === null ? 15 : 100)
    }
  } finally {
    await dispose(attempt, await readPostmaster(plan.clusterFolder).catch(() => null))
  }
}

/** Fast shutdown, and after ten seconds an immediate one, from which PostgreSQL recovers at its next start. */
export async function stopServer(clusterFolder: string): Promise<void> {
  const postmaster = await findPostmaster(clusterFolder)
  // One in another container cannot be signalled, and must keep its socket.
  if (postmaster === null || !(await worksIn(postmaster.pid, clusterFolder))) return
  for (const [signal, seconds] of [
    ['SIGINT', 10],
    ['SIGQUIT', 5],
  ] as const) {
    if (await worksIn(postmaster.pid, clusterFolder)) process.kill(postmaster.pid, signal)
    if (await hasEnded(postmaster.pid, seconds)) break
  }
  await removeSocketFolder(postmaster.socketFolder)
}

async function start(plan: ServerPlan): Promise<Attempt> {
  const { place, clusterFolder, account, binaries } = plan
  const old = await readPostmaster(clusterFolder)
  await removeStalePidFile(clusterFolder, old)
  if (old !== null) await removeSocketFolder(old.socketFolder)
  const listening = await chooseListening(plan.socketParents, account)
  const rules = await writeAccessRules(place, listening.door, currentUserName())
  if (listening.door === 'loopback') await setPassword(place, clusterFolder, account, binaries)
  const settings = {
    ...fixedSettings(listening),
    hba_file: rules.hbaFile,
    ident_file: rules.identFile,
    ...plan.settings,
  }
  const log = await newLog(join(place, 'postgres.log'))
  let outcome: string | null = null
  const end = (reason: string) =>
    log.read({ buffer: Buffer.alloc(65_536), position: 0 }).then(
      ({ buffer, bytesRead }) => (outcome = buffer.toString('utf8', 0, bytesRead).trim() || reason),
      () => (outcome = reason),
    )
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // In a session of its own, so that Ctrl-C in the terminal reaches only us: we stop it in good order.
  const child = spawn(binaries.postgres, ['-D', clusterFolder, ...args], {
    ...asAccount(account),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  child.on('error', (error) => void end(codeOf(error)))
  child.on('exit', (code, signal) => void end(`it ended with ${signal ?? `code ${code}`}`))
  child.unref()
  return { listening, outcome: () => outcome, log }
}

function fixedSettings(listening: Listening): Record<string, string> {
  const socket = listening.door === 'socket'
  return {
    listen_addresses: socket ? '' : '127.0.0.1',
    port: `${socket ? socketPort : listening.port}`,
    unix_socket_directories: socket ? `"${listening.folder.replaceAll('"', '""')}"` : '',
    unix_socket_permissions: '0700',
    cluster_name: 'handover',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log is for the server's own life: no statements, no values of people's data, no line per failed statement.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
  }
}

/** A new file each time: never one that somebody put there for us to write through. */
async function newLog(path: string): Promise<FileHandle> {
  await rm(path, { force: true })
  return open(path, 'wx+', 0o600)
}

/** Lets go of an attempt; its socket folder stays only if the server that lives is the one that it started. */
async function dispose(attempt: Attempt | null, living: Postmaster | null): Promise<void> {
  if (attempt === null) return
  await attempt.log.close()
  const { listening } = attempt
  if (listening.door === 'socket' && living?.socketFolder !== listening.folder)
    await removeSocketFolder(listening.folder)
}

async function hasEnded(pid: number, seconds: number): Promise<boolean> {
  for (const deadline = Date.now() + seconds * 1000; Date.now() < deadline; await sleep(10)) {
    if (!(await isRunning(pid))) return true
  }
  return false
}

async function couldNotStart(plan: ServerPlan, reason: string): Promise<Error> {
  // On a full disk the log that would say so stays empty.
  const disk = isKnown(reason) ? null : await statfs(plan.place)
  const full = disk !== null && disk.bavail * disk.bsize < 1_000_000
  const found = full ? `No space left on device for ${plan.place}` : reason
  return failure('The embedded PostgreSQL did not start', found, join(plan.place, 'postgres.log'))
}
