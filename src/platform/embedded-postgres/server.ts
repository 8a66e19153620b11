import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failure, isKnown, reasonIn } from './failure.ts'
import { removeSocketFolder } from './listening.ts'
import { isRunning, worksIn } from './live-process.ts'
import { lookForPostmaster, type Postmaster, readPostmaster } from './postmaster.ts'
import { type Attempt, type ServerPlan, startServer } from './start-server.ts'

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
      const { live, dead } = await lookForPostmaster(plan.clusterFolder)
      if (live?.ready === true) return live
      const ended: string | null = attempt === null ? null : attempt.outcome()
      if (ended !== null && !passing.test(ended)) throw await couldNotStart(plan, reasonIn(ended))
      if (Date.now() > deadline) throw await couldNotStart(plan, `it was not ready after ${patience / 1000} seconds`)
      if (live === null && (attempt === null || ended !== null)) {
        await attempt?.letGo(null)
        attempt = null
        attempt = await startServer(plan, dead)
      }
      await sleep(ended === null ? 15 : 100)
    }
  } finally {
    await attempt?.letGo(await readPostmaster(plan.clusterFolder).catch(() => null))
  }
}

/** Fast shutdown, and after ten seconds an immediate one, from which PostgreSQL recovers at its next start. */
export async function stopServer(clusterFolder: string): Promise<void> {
  const { live } = await lookForPostmaster(clusterFolder)
  // One in another container cannot be signalled, and must keep its socket.
  if (live === null || !(await worksIn(live.pid, clusterFolder))) return
  process.kill(live.pid, 'SIGINT')
  if (!(await hasEnded(live.pid, 10)) && (await worksIn(live.pid, clusterFolder))) {
    process.kill(live.pid, 'SIGQUIT')
    await hasEnded(live.pid, 5)
  }
  await removeSocketFolder(live.socketFolder)
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
