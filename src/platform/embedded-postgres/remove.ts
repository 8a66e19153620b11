import { lstat, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../operator-error.ts'
import { attemptName, isBeingMade } from './attempt.ts'
import { connectionTo } from './connection.ts'
import { folderFailure } from './failure.ts'
import { takeOwnership } from './ownership.ts'
import { clusterIn, placeIn } from './place.ts'
import { lookForPostmaster } from './postmaster.ts'
import { codeOf } from './run-as.ts'
import { stopServer } from './server.ts'

/** What starts make in the place, finished or not. The place may be a link to a disk with other things on it: those stay. */
const MADE =
  /^(?:(?:cluster|pg_hba\.conf|pg_ident\.conf|password|postgres\.log|postgresql-[\w.-]+)(?:\.new-[\w-]+)?|handover-pg-\w+)$/

/**
 * Takes the database of a data folder away, for good, and nothing else. Refuses while somebody works with it; one whose owner
 * died is stopped first. Killed half-way, it leaves a database that is whole, or one that the next start clears away.
 */
export async function removeEmbeddedPostgres(dataFolder: string): Promise<void> {
  try {
    await remove(dataFolder)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw folderFailure(resolve(dataFolder), error)
    throw error
  }
}

async function remove(dataFolder: string): Promise<void> {
  const named = placeIn(dataFolder)
  const found = await lstat(named).catch(nullIfMissing)
  if (found === null) return
  if (found.isSymbolicLink() && process.getuid?.() === 0 && found.uid !== 0) {
    throw new OperatorError(`${named} is a link made by another account (uid ${found.uid}): check it, then remove it.`)
  }
  const place = await realpath(named).catch(nullIfMissing)
  if (place !== null) {
    const clusterFolder = clusterIn(place)
    await requireCluster(clusterFolder)
    if (await isBeingMade(clusterFolder)) throw busy(resolve(dataFolder))
    await untilNobodyRuns(place, resolve(dataFolder))
    await moveAway(clusterFolder, resolve(dataFolder))
    for (const name of (await readdir(place)).filter((each) => MADE.test(each)))
      await rm(join(place, name), { recursive: true, force: true, maxRetries: 5 })
    await rmdir(place).catch(() => undefined)
  }
  if (found.isSymbolicLink()) await rm(named, { force: true })
}

/** Under the name of a database may lie something else, where a link was changed. */
async function requireCluster(clusterFolder: string): Promise<void> {
  const found = await readdir(clusterFolder).catch(nullIfMissing)
  if (found !== null && !found.includes('PG_VERSION'))
    throw new OperatorError(`${clusterFolder} is not a PostgreSQL database. Nothing was removed.`)
}

async function untilNobodyRuns(place: string, folder: string): Promise<void> {
  const clusterFolder = clusterIn(place)
  for (let turn = 0; turn < 20; turn++) {
    const { live } = await lookForPostmaster(clusterFolder)
    if (live === null) return
    const outcome = live.ready ? await takeOwnership(await connectionTo(live, place)) : ({ kind: 'gone' } as const)
    if (outcome.kind === 'taken')
      throw new OperatorError(`A handover (${outcome.by}) is running on ${folder}. Stop it first; nothing was removed.`)
    // Nobody's: what was left behind by one that was killed.
    if (outcome.kind === 'owned') await outcome.ownership.end(() => stopServer(clusterFolder))
    await sleep(100)
  }
  throw busy(folder)
}

/** In one step, and under the name of an attempt: half a database must never stand under the real one. */
async function moveAway(clusterFolder: string, folder: string): Promise<void> {
  const away = await attemptName(clusterFolder)
  if ((await rename(clusterFolder, away).catch(nullIfMissing)) === null) return
  const { live } = await lookForPostmaster(away)
  if (live === null) return
  // Somebody started it just now, and goes on with it as if nothing had been.
  await rename(away, clusterFolder)
  throw busy(folder)
}

function busy(folder: string): OperatorError {
  return new OperatorError(`The database of ${folder} is being started or stopped. Try again in a moment.`)
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}
