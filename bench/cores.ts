import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Which cores a process may use: the server's own, the other one (load and database), or both. */
export type Cores = 'server' | 'other' | 'both'

const LISTS: Record<Cores, string> = { server: '0', other: '1', both: '0,1' }

/** Without `taskset` or with one core the figures are still ratios of one run, but noisier ones. */
export const canPin = availableParallelism() >= 2 && hasTaskset()

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The command that runs `node` with these arguments on these cores; taskset becomes the process, so its id stays. */
export function pinned(cores: Cores, args: string[]): [command: string, args: string[]] {
  return canPin ? ['taskset', ['-c', LISTS[cores], process.execPath, ...args]] : [process.execPath, args]
}

/** Also for what this process starts from now on, PostgreSQL above all. */
export function pinThisProcess(cores: Cores): void {
  if (canPin) execFileSync('taskset', ['-cp', LISTS[cores], String(process.pid)], { stdio: 'ignore' })
}

const TICKS_PER_SECOND = 100

/** Seconds of CPU that a process has used so far, all its threads together; null where there is no /proc. */
export function cpuSeconds(pid: number): number | null {
  const fields = statOf(pid)
  return fields === null ? null : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The same for a process with its children: a PostgreSQL server is one process per connection. Those that ended count too. */
export function cpuSecondsOfChildren(pid: number): number {
  const fields = statOf(pid)
  const ended = fields === null ? 0 : (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  return childrenOf(pid).reduce((sum, child) => sum + (cpuSeconds(child) ?? 0), (cpuSeconds(pid) ?? 0) + ended)
}

function childrenOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.map(Number).filter((each) => statOf(each)?.[1] === String(pid))
}

/** The fields after the name, which may hold spaces; the first is the state (proc(5)). */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
