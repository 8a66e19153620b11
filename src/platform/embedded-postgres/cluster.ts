import { chown, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { role } from './access-rules.ts'
import { attemptName, removeAbandonedAttempts } from './attempt.ts'
import type { Binaries } from './binaries.ts'
import { failure, reasonOf } from './failure.ts'
import { type Account, runAs } from './run-as.ts'

/** Makes the cluster unless it is there. Several starts may do so at once: the first to rename wins, the others use its. */
export async function ensureCluster(
  clusterFolder: string,
  account: Account,
  binaries: Binaries,
  sync: boolean,
): Promise<void> {
  await removeAbandonedAttempts(clusterFolder)
  if (!(await isThere(clusterFolder))) await makeCluster(clusterFolder, account, binaries, sync)
  const version = await readFile(join(clusterFolder, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT') throw error
    throw new OperatorError(
      `${clusterFolder} is not a PostgreSQL database: move it away, or set HANDOVER_DATA_DIR to another folder.`,
    )
  })
  if (Number(version) !== binaries.majorVersion) {
    throw new OperatorError(
      `The database in ${clusterFolder} was made by PostgreSQL ${version.trim()}, and this program brings ${binaries.majorVersion}: ` +
        'export it with the version that made it and import it into a new HANDOVER_DATA_DIR.',
    )
  }
}

async function makeCluster(clusterFolder: string, account: Account, binaries: Binaries, sync: boolean): Promise<void> {
  const attempt = await attemptName(clusterFolder)
  try {
    await mkdir(attempt, { mode: 0o700 })
    if (account.other) await chown(attempt, account.uid, account.gid)
    const names = ['--username', role, '--encoding', 'UTF8', '--no-locale']
    // Our own rules replace these at every start; they only keep others out should somebody start it by hand.
    const rules = ['--auth-local', 'peer', '--auth-host', 'reject']
    const args = ['--pgdata', attempt, ...names, ...rules, '--data-checksums', ...(sync ? [] : ['--no-sync'])]
    const result = await runAs(account, binaries.initdb, args)
    if (result.code === 0) await rename(attempt, clusterFolder)
    else if (!(await isThere(clusterFolder)))
      throw failure('The embedded PostgreSQL could not make its database', reasonOf(result))
    if (sync) await syncFolder(dirname(clusterFolder))
  } catch (error) {
    if (error instanceof OperatorError || !(await isThere(clusterFolder))) throw error
  } finally {
    await rm(attempt, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Makes the rename survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
