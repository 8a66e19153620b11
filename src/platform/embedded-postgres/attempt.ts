import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isRunning, startTime } from './live-process.ts'

/**
 * A folder or file is made whole under another name and then renamed, so that a crash never leaves half of it under
 * the real one. The other name carries its maker's process, so that a later start can tell an abandoned attempt from
 * a live one beside it.
 */
export async function attemptName(finished: string): Promise<string> {
  return `${finished}.new-${process.pid}-${await startTime(process.pid)}-${randomBytes(4).toString('hex')}`
}

/** Whether somebody who lives is making what is to have this name. */
export async function isBeingMade(finished: string): Promise<boolean> {
  return (await attemptsAt(finished)).some(({ isLive }) => isLive)
}

/** Removes the attempts at this name whose makers are gone. */
export async function removeAbandonedAttempts(finished: string): Promise<void> {
  for (const { path, isLive } of await attemptsAt(finished)) {
    if (isLive) continue
    // An initdb that outlived its starter may still be writing here; what cannot go now goes at the next start.
    await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

async function attemptsAt(finished: string): Promise<Array<{ path: string; isLive: boolean }>> {
  const folder = dirname(finished)
  const found: Array<{ path: string; isLive: boolean }> = []
  for (const name of await readdir(folder)) {
    const maker = name.startsWith(`${basename(finished)}.new-`) ? /-(\d+)-(\d+)-[0-9a-f]+$/.exec(name) : null
    if (maker === null) continue
    const pid = Number(maker[1])
    found.push({ path: join(folder, name), isLive: (await isRunning(pid)) && (await startTime(pid)) === maker[2] })
  }
  return found
}
