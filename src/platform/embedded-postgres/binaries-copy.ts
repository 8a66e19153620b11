import { execFile } from 'node:child_process'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { attemptName, removeAbandonedAttempts } from './attempt.ts'
import { failure } from './failure.ts'
import { codeOf } from './run-as.ts'

/**
 * A copy of the package's programs where the server's account can reach them, made once per version. It is ours and
 * not writable by others, for we are about to run it.
 */
export async function copyOfPackage(packageFolder: string, places: string[]): Promise<string> {
  const name = `postgresql-${process.platform}-${process.arch}-${await versionOf(packageFolder)}`
  const problems: string[] = []
  for (const place of places) {
    const copy = join(place, name)
    try {
      if ((await mkdir(place, { recursive: true })) !== undefined) await chmod(place, 0o755)
      await assertOurs(place)
      await removeAbandonedAttempts(copy)
      if (!(await isThere(copy))) await copyWhole(join(packageFolder, 'native'), copy)
      await assertOurs(copy)
      return copy
    } catch (error) {
      problems.push(error instanceof Error ? error.message : codeOf(error))
    }
  }
  throw failure(
    `The PostgreSQL programs in ${packageFolder} cannot be reached and cannot be copied`,
    problems.join('; '),
  )
}

/** Nobody else may be able to change what lies there. */
export async function assertOurs(folder: string): Promise<void> {
  const entry = await lstat(folder)
  if (!entry.isDirectory() || entry.uid !== process.getuid?.() || (entry.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that only this account can write`)
  }
}

async function copyWhole(source: string, target: string): Promise<void> {
  const attempt = await attemptName(target)
  try {
    await cp(source, attempt, { recursive: true, verbatimSymlinks: true })
    await openToAll(attempt)
    // A power cut after the rename must not leave hollow files under the real name.
    await promisify(execFile)('sync', ['-f', attempt]).catch(() => undefined)
    await rename(attempt, target)
  } catch (error) {
    // Somebody else finished first, which is as good.
    if (!(await isThere(target))) throw error
  } finally {
    await rm(attempt, { recursive: true, force: true })
  }
}

/** An install under a strict umask made files that only their owner can read. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) await chmod(path, 0o755)
    else if (entry.isFile()) await chmod(path, ((await lstat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}

async function versionOf(packageFolder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const found = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return String(found).replaceAll(/[^\w.-]/g, '_')
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
