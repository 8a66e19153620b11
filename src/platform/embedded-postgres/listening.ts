import { chown, lstat, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { socketPath } from './postmaster.ts'
import { type Account, canWriteIn } from './run-as.ts'

/** Where a server listens: on a socket in a private folder, or on loopback when there is no folder short enough. */
export type Listening = { door: 'socket'; folder: string } | { door: 'loopback'; port: number }

export const socketPort = 5432

/** The kernel's limit for the path of a socket, without the closing zero. */
const longestPath = process.platform === 'darwin' ? 103 : 107
const prefix = 'handover-pg-'

/**
 * Each start gets a socket folder of its own, so that it never meets what a dead server left in one, and never
 * removes what a live one uses.
 */
export async function chooseListening(parents: string[], account: Account): Promise<Listening> {
  for (const parent of parents) {
    if (Buffer.byteLength(socketPath(join(parent, `${prefix}XXXXXX`), socketPort)) > longestPath) continue
    const folder = await mkdtemp(join(parent, prefix)).catch(() => null)
    if (folder === null) continue
    if (await handOver(folder, account)) return { door: 'socket', folder }
    await rmdir(folder).catch(() => undefined)
  }
  return { door: 'loopback', port: await freePort() }
}

async function handOver(folder: string, account: Account): Promise<boolean> {
  if (!account.other) return true
  return chown(folder, account.uid, account.gid).then(
    () => canWriteIn(account, folder),
    () => false,
  )
}

/** Removes a socket folder that no server uses any more; the name guards against a pid file that was tampered with. */
export async function removeSocketFolder(folder: string): Promise<void> {
  if (!basename(folder).startsWith(prefix) || (await lstat(folder).catch(() => null))?.isDirectory() !== true) return
  for (const file of [socketPath(folder, socketPort), `${socketPath(folder, socketPort)}.lock`]) {
    await unlink(file).catch(() => undefined)
  }
  await rmdir(folder).catch(() => undefined)
}

/** Removes the folders of starts that died before their server lived: empty ones, for rmdir takes no others. */
export async function removeUnusedSocketFolders(place: string, used: string): Promise<void> {
  for (const name of await readdir(place)) {
    if (name.startsWith(prefix) && join(place, name) !== used) await rmdir(join(place, name)).catch(() => undefined)
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
