import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Whether the process runs. A zombie that nobody collects (a container without an init) has ended. */
export async function isRunning(pid: number): Promise<boolean> {
  if (!isNumberTaken(pid)) return false
  const [state] = await statFields(pid)
  return state !== 'Z' && state !== 'X'
}

/** Whether a process of that number exists, be it a zombie or somebody else's. */
export function isNumberTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Tells a process from a later one that got the same number; '0' where only Linux knows. */
export async function startTime(pid: number): Promise<string> {
  return (await statFields(pid))[19] ?? '0'
}

/** Whether a running process is the PostgreSQL of this cluster, and not one that merely got the same number. */
export async function worksIn(pid: number, clusterFolder: string): Promise<boolean> {
  if (!(await isRunning(pid))) return false
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', `${pid}`]).catch(() => ({ stdout: '' }))
    return stdout.includes(clusterFolder)
  }
  try {
    // The server's working folder is the cluster, also after the folder was moved under it.
    const [inside, cluster] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(clusterFolder)])
    return inside.dev === cluster.dev && inside.ino === cluster.ino
  } catch {
    // In containers root may not look into another account's processes; the command line is open to all.
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
    return words.includes(clusterFolder)
  }
}

/** The fields of /proc/pid/stat from the third on: the second, the program's name in brackets, may hold spaces. */
async function statFields(pid: number): Promise<string[]> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return line === '' ? [] : line.slice(line.lastIndexOf(')') + 2).split(' ')
}
