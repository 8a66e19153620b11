import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, readlink, realpath, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { attemptName, removeAbandonedAttempts } from './attempt.ts'
import { assertOurs } from './binaries-copy.ts'
import { failure } from './failure.ts'
import { type Account, canWriteIn, codeOf } from './run-as.ts'

/** `<data>/postgres`: the cluster, its log, its access rules and its socket lie there; it may be a link elsewhere. */
export function placeIn(dataFolder: string): string {
  return join(resolve(dataFolder), 'postgres')
}

export function clusterIn(place: string): string {
  return join(place, 'cluster')
}

/**
 * Makes the place, or finds the one of earlier starts, and returns its real path. When the server runs as another
 * account that cannot reach the data folder (a home folder of mode 0700), the place is made in the shelter and linked.
 */
export async function preparePlace(
  dataFolder: string,
  account: Account,
  shelter: string,
  say: (line: string) => void,
): Promise<string> {
  const wanted = placeIn(dataFolder)
  const folder = dirname(wanted)
  if (/[\n\r]/.test(folder)) {
    throw new OperatorError('PostgreSQL takes no data folder with a line break in its path: set HANDOVER_DATA_DIR.')
  }
  if ((await mkdir(folder, { recursive: true })) !== undefined) await chmod(folder, account.other ? 0o711 : 0o700)
  const found = await lstat(wanted).catch(() => null)
  if (found === null && !(await isReachable(folder, account))) {
    await makeInShelter(wanted, account, shelter, say)
  } else if (found?.isSymbolicLink() !== true) {
    return makePlace(wanted, account)
  }
  const place = await followLink(wanted)
  say(`The database is kept in ${place} (${wanted} points there).`)
  return place
}

async function followLink(link: string): Promise<string> {
  const { uid } = await lstat(link)
  // Root must not be led anywhere by a link of somebody else's.
  if (process.getuid?.() === 0 && uid !== 0) {
    throw new OperatorError(
      `${link} is a link made by another account (uid ${uid}): check it, then make it anew as root.`,
    )
  }
  return realpath(link).catch(async () => {
    throw new OperatorError(
      `${link} points to ${await readlink(link)}, which is not there: bring it back, ` +
        'or remove the link to begin with an empty database.',
    )
  })
}

/** Owned by us and open for passing through only, so that the account cannot replace what we write there. */
async function makePlace(place: string, account: Account): Promise<string> {
  const made = await mkdir(place, { recursive: true })
  if (made !== undefined) await chmod(place, account.other ? 0o711 : 0o700)
  return realpath(place)
}

/** Tries it as the account, after opening the folder itself (never its parents) for passing through. */
async function isReachable(folder: string, account: Account): Promise<boolean> {
  if (!account.other) return true
  const before = (await stat(folder)).mode & 0o7777
  await chmod(folder, before | 0o111).catch(() => undefined)
  await removeAbandonedAttempts(join(folder, '.reach'))
  const probe = await attemptName(join(folder, '.reach'))
  await mkdir(probe, { mode: 0o700 })
  try {
    const reachable = await chown(probe, account.uid, account.gid).then(
      () => canWriteIn(account, probe),
      () => false,
    )
    if (!reachable) await chmod(folder, before).catch(() => undefined)
    return reachable
  } finally {
    await rm(probe, { recursive: true, force: true })
  }
}

/**
 * The name carries the data folder's hash only to be recognised; each new link gets a new place, because a data
 * folder that was deleted and made anew must not meet the database of the old one, whose master key is gone.
 */
async function makeInShelter(
  link: string,
  account: Account,
  shelter: string,
  say: (line: string) => void,
): Promise<void> {
  const hash = createHash('sha256').update(dirname(link)).digest('hex').slice(0, 12)
  const place = join(shelter, `${hash}-${randomBytes(4).toString('hex')}`)
  try {
    if ((await mkdir(shelter, { recursive: true })) !== undefined) await chmod(shelter, 0o755)
    await assertOurs(shelter)
    const older = (await readdir(shelter)).filter((name) => name.startsWith(`${hash}-`))
    await makePlace(place, account)
    if (!(await isReachable(place, account))) throw new Error(`${account.name} cannot reach that either`)
    if (older.length > 0) say(`An earlier database of ${dirname(link)} is still in ${join(shelter, older.join(', '))}.`)
  } catch (error) {
    await rmdir(place).catch(() => undefined)
    throw failure(
      `The account ${account.name}, which runs PostgreSQL for root, cannot reach ${dirname(link)}, and ${shelter} cannot be used instead`,
      error instanceof Error ? error.message : codeOf(error),
    )
  }
  try {
    await symlink(place, link)
  } catch (error) {
    await rmdir(place)
    // A start at the same moment was quicker; its link is as good.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
