import { OperatorError } from '../operator-error.ts'
import { codeOf, type RunResult } from './run-as.ts'

const insteadOfEmbedded = 'or set DATABASE_URL to a PostgreSQL server'

/** What to do about the failures that people really meet, by what PostgreSQL or the system says about them. */
const advice: [pattern: RegExp, advice: string][] = [
  [
    /No space left on device|ENOSPC|EDQUOT|quota exceeded/i,
    'free some space on that disk, or set HANDOVER_DATA_DIR to another one',
  ],
  [/Read-only file system|EROFS/i, 'set HANDOVER_DATA_DIR to a folder that can be written'],
  [
    /shared memory|semaphores?|shmget|semget/i,
    `give this machine or container more shared memory, ${insteadOfEmbedded}`,
  ],
  [/Cannot allocate memory|out of memory/i, `free some memory, ${insteadOfEmbedded}`],
  [
    /Permission denied|EACCES|EPERM|Operation not permitted|wrong ownership|invalid permissions/i,
    'start as the account that owns it, or set HANDOVER_DATA_DIR to another folder',
  ],
  [/Too many open files|EMFILE/i, 'raise the limit of open files (ulimit -n)'],
]

/** One line out of what went wrong and what to do; `log` is where more of it can be read. */
export function failure(what: string, reason: string, log?: string): OperatorError {
  const known = advice.find(([pattern]) => pattern.test(reason))?.[1]
  const fallback = log === undefined ? `mend this, ${insteadOfEmbedded}` : `see ${log}, ${insteadOfEmbedded}`
  return new OperatorError(`${what}: ${reason.replace(/[.:\s]+$/, '')}. What to do: ${known ?? fallback}.`)
}

export function isKnown(reason: string): boolean {
  return advice.some(([pattern]) => pattern.test(reason))
}

export function folderFailure(folder: string, error: unknown): OperatorError {
  return failure(`The data folder ${folder} cannot be used`, error instanceof Error ? error.message : codeOf(error))
}

/** The line of a PostgreSQL program's output that says why it ended: the first of the gravest, without its prefix. */
export function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const grave = ['PANIC:', 'FATAL:', 'error:', 'could not', 'cannot']
  const found = grave.map((mark) => lines.find((line) => line.includes(mark))).find((line) => line !== undefined)
  return (found ?? lines.at(-1) ?? 'it said nothing').replace(/^.*?(PANIC|FATAL|error):\s*/, '').trim()
}

export function reasonOf(result: RunResult): string {
  return result.spawnError ?? reasonIn(`${result.stderr}\n${result.stdout}`)
}
