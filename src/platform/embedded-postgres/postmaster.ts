import { randomBytes } from 'node:crypto'
import { link, readFile, rename, stat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { isNumberTaken, worksIn } from './live-process.ts'
import { codeOf } from './run-as.ts'

/** What the server says about itself in postmaster.pid. */
export type Postmaster = { pid: number; port: number; socketFolder: string; listenAddress: string; ready: boolean }

export function socketPath(folder: string, port: number): string {
  return join(folder, `.s.PGSQL.${port}`)
}

export async function readPostmaster(clusterFolder: string): Promise<Postmaster | null> {
  const text = await readFile(join(clusterFolder, 'postmaster.pid'), 'utf8').catch(emptyIfMissing)
  const [pid = '', , , port = '', socketFolder = '', listenAddress = '', , status = ''] = text.split('\n')
  if (!/^-?\d+$/.test(pid)) return null
  return {
    // A negative number is a single-user server, which is never ready.
    pid: Math.abs(Number(pid)),
    port: Number(port),
    socketFolder,
    listenAddress,
    ready: status.trim() === 'ready',
  }
}

/** What postmaster.pid speaks of, told apart by whether that server lives; both null when there is no such file. */
export type Sighting = { live: Postmaster | null; dead: Postmaster | null }

export async function lookForPostmaster(clusterFolder: string): Promise<Sighting> {
  const postmaster = await readPostmaster(clusterFolder)
  if (postmaster === null) return { live: null, dead: null }
  const { pid, socketFolder, port } = postmaster
  // A container that shares the folder has processes that we cannot see, but its socket answers.
  const lives =
    (await worksIn(pid, clusterFolder)) || (socketFolder !== '' && (await answers(socketPath(socketFolder, port))))
  return lives ? { live: postmaster, dead: null } : { live: null, dead: postmaster }
}

/**
 * Removes the file of a dead server where PostgreSQL would refuse to start for ever: the number in it belongs to
 * another process by now, or a power cut emptied it. In all other cases PostgreSQL itself knows best.
 * A server may be starting at this very moment, so the file is first moved away and looked at again.
 */
export async function removeStalePidFile(clusterFolder: string, dead: Postmaster | null): Promise<void> {
  const path = join(clusterFolder, 'postmaster.pid')
  if (dead === null ? !(await isOldAndEmpty(path)) : !isNumberTaken(dead.pid)) return
  const aside = `${path}.old-${randomBytes(4).toString('hex')}`
  try {
    await rename(path, aside)
    const pid = Number.parseInt(await readFile(aside, 'utf8'), 10)
    if (dead !== null && Math.abs(pid) !== dead.pid) await link(aside, path)
    await unlink(aside)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** A starting server fills its file at once. */
async function isOldAndEmpty(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => null)
  return file !== null && file.size === 0 && Date.now() - file.mtimeMs > 5000
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

function emptyIfMissing(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return ''
  throw error
}
