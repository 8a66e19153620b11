import { spawn } from 'node:child_process'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccessRules, setPassword, writeAccessRules } from './access-rules.ts'
import { currentUserName } from './account.ts'
import type { Binaries } from './binaries.ts'
import { chooseListening, type Listening, removeSocketFolder, socketPort } from './listening.ts'
import { sharedBuffers } from './memory.ts'
import { type Postmaster, removeStalePidFile } from './postmaster.ts'
import { type Account, asAccount, codeOf } from './run-as.ts'

export type ServerPlan = {
  place: string
  clusterFolder: string
  account: Account
  binaries: Binaries
  socketParents: string[]
  settings: Record<string, string>
}

/** A server that was started and may or may not come up; `outcome` is what it left in its log once it has ended. */
export type Attempt = { outcome(): string | null; letGo(living: Postmaster | null): Promise<void> }

/** Clears away what the dead server left and starts a new one. */
export async function startServer(plan: ServerPlan, dead: Postmaster | null): Promise<Attempt> {
  const { place, clusterFolder, account, binaries } = plan
  await removeStalePidFile(clusterFolder, dead)
  if (dead !== null) await removeSocketFolder(dead.socketFolder)
  const listening = await chooseListening(plan.socketParents, account)
  try {
    const rules = await writeAccessRules(place, listening.door, currentUserName())
    if (listening.door === 'loopback') await setPassword(place, clusterFolder, account, binaries)
    const log = await newLog(join(place, 'postgres.log'))
    const outcome = run(plan, { ...settingsFor(listening, rules), ...plan.settings }, log)
    const letGo = async (living: Postmaster | null) => {
      await log.close()
      await removeUnless(living, listening)
    }
    return { outcome, letGo }
  } catch (error) {
    await removeUnless(null, listening)
    throw error
  }
}

/** In a session of its own, so that Ctrl-C in the terminal reaches only us: we stop it in good order. */
function run(plan: ServerPlan, settings: Record<string, string>, log: FileHandle): Attempt['outcome'] {
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(plan.binaries.postgres, ['-D', plan.clusterFolder, ...args], {
    ...asAccount(plan.account),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  let outcome: string | null = null
  const end = async (reason: string) => {
    // After letGo the log is closed, and nobody asks for the outcome any more.
    const read = await log.read({ buffer: Buffer.alloc(65_536), position: 0 }).catch(() => null)
    outcome = read?.buffer.toString('utf8', 0, read.bytesRead).trim() || reason
  }
  child.on('error', (failed) => void end(codeOf(failed)))
  child.on('exit', (code, signal) => void end(`it ended with ${signal ?? `code ${code}`}`))
  child.unref()
  return () => outcome
}

function settingsFor(listening: Listening, rules: AccessRules): Record<string, string> {
  const socket = listening.door === 'socket'
  return {
    listen_addresses: socket ? '' : '127.0.0.1',
    port: `${socket ? socketPort : listening.port}`,
    unix_socket_directories: socket ? `"${listening.folder.replaceAll('"', '""')}"` : '',
    unix_socket_permissions: '0700',
    hba_file: rules.hbaFile,
    ident_file: rules.identFile,
    cluster_name: 'handover',
    shared_buffers: sharedBuffers(),
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

/** The socket folder stays only if the server that lives is the one that listens there. */
async function removeUnless(living: Postmaster | null, listening: Listening): Promise<void> {
  if (listening.door === 'socket' && living?.socketFolder !== listening.folder) {
    await removeSocketFolder(listening.folder)
  }
}
