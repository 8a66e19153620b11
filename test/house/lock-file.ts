import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

type Groups = Partial<Record<(typeof groups)[number], Record<string, string>>>
type Entry = Groups & {
  name?: string
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
}
type LockFile = { lockfileVersion: number; packages: Record<string, Entry> }
type Manifest = Groups & { allowScripts?: Record<string, boolean> }

const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/
// Each comes as one package per platform; a lock file made on one machine may leave out the others.
const platformPackages = ['@biomejs/biome', 'oxlint', 'oxlint-tsgolint', '@swc/core', 'typescript']
const machines = ['linux-x64', 'linux-arm64']

/** One line for each reason why `npm ci` in this folder would fail on another machine, or install or run something else there. */
export async function lockFileFaults(root: string): Promise<string[]> {
  const lock: LockFile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const manifest: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const faults = [...addressFaults(lock), ...agreementFaults(lock, manifest), ...scriptFaults(lock, manifest)]
  return [...faults, ...platformFaults(lock), ...versionFaults(manifest)]
}

/** Whatever registry it comes from, it is these bytes; and it comes from a registry, not from a folder or a repository. */
function addressFaults({ packages }: LockFile): string[] {
  return Object.entries(packages).flatMap(([path, { resolved, integrity, link, version = '' }]) => {
    const faults = resolved === undefined ? [] : [`package-lock.json: ${path} is tied to ${resolved}`]
    if (path === '') return faults
    if (!path.startsWith('node_modules/') || link) faults.push(`package-lock.json: ${path} is a folder of its own`)
    else if (!sha512.test(integrity ?? '')) faults.push(`package-lock.json: ${path} has no integrity of SHA-512`)
    if (!link && !exact.test(version)) faults.push(`package-lock.json: ${path} is "${version}", not a version`)
    return faults
  })
}

/** What package.json asks for is what the lock file says it asks for, and what is installed. */
function agreementFaults({ packages }: LockFile, manifest: Manifest): string[] {
  const asked = JSON.stringify(groups.map((group) => sorted(manifest[group])))
  const locked = JSON.stringify(groups.map((group) => sorted(packages['']?.[group])))
  const faults = asked === locked ? [] : ['package-lock.json: was made for another package.json']
  for (const [name, version] of groups.flatMap((group) => Object.entries(manifest[group] ?? {}))) {
    const entry = packages[`node_modules/${name}`]
    if (entry === undefined) {
      faults.push(`package-lock.json: ${name} is missing`)
      continue
    }
    // A name in the entry is another package than the one that was asked for.
    const installed = entry.name === undefined ? entry.version : `${entry.name} ${entry.version}`
    if (exact.test(version) && installed !== version)
      faults.push(`package-lock.json: ${name} is ${installed}, and package.json asks for ${version}`)
  }
  return faults
}

function sorted(group: Record<string, string> = {}): Array<[string, string]> {
  return Object.entries(group).toSorted(([one], [other]) => (one < other ? -1 : 1))
}

/** A script runs on the machine of whoever installs: each is named in allowScripts, by a yes or a no. */
function scriptFaults({ packages }: LockFile, { allowScripts = {} }: Manifest): string[] {
  const withScript = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  return [
    ...withScript
      .filter((name) => allowScripts[name] === undefined)
      .map((name) => `package-lock.json: ${name} has an install script, which allowScripts does not name`),
    ...Object.keys(allowScripts)
      .filter((name) => !withScript.includes(name))
      .map((name) => `package.json: allowScripts names ${name}, which has no install script`),
  ]
}

function platformFaults({ packages }: LockFile): string[] {
  const wanted: string[] = []
  const faults: string[] = []
  for (const name of platformPackages) {
    const entry = packages[`node_modules/${name}`]
    if (entry === undefined) continue
    const variants = Object.keys(entry.optionalDependencies ?? {})
    for (const machine of machines) {
      // "-gnu" where a package tells the C libraries apart, nothing where it does not.
      const variant = variants.filter((candidate) => new RegExp(`\\b${machine}(?:-gnu)?$`).test(candidate))
      if (variant.length === 0) faults.push(`package-lock.json: ${name} has no variant for ${machine}`)
      wanted.push(...variant)
    }
  }
  const missing = wanted.filter((name) => packages[`node_modules/${name}`]?.version === undefined)
  return [...faults, ...missing.map((name) => `package-lock.json: ${name} is missing`)]
}

function versionFaults(manifest: Manifest): string[] {
  return groups
    .flatMap((group) => Object.entries(manifest[group] ?? {}))
    .filter(([, version]) => !exact.test(version))
    .map(([name, version]) => `package.json: ${name} is asked for as "${version}", not as one version`)
}
