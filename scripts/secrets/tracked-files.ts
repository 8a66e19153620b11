import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AllowedFind } from './allowed-finds.ts'
import { type Find, findSecrets } from './find-secrets.ts'

const run = promisify(execFile)

/** What git keeps, and what it would take with the next `git add`; lists of a few megabytes at most. */
const EVERY_FILE = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
const MOST_BYTES = 16 * 1024 * 1024

export type FoundIn = Find & { where: string }

/** Everything in the files of a repository that looks like a secret, the allowed included. */
export async function secretsInFiles(root: string): Promise<{ files: number; finds: FoundIn[] }> {
  const { stdout } = await run('git', EVERY_FILE, { cwd: root, maxBuffer: MOST_BYTES })
  const paths = [...new Set(stdout.split('\0').filter((path) => path !== ''))]
  const finds: FoundIn[] = []
  for (const path of paths) {
    // Gone from the folder and not yet from git; the next commit says so.
    const text = await readFile(join(root, path), 'latin1').catch(() => '')
    finds.push(...findSecrets(text).map((find) => ({ ...find, where: `${path}:${find.line}` })))
  }
  return { files: paths.length, finds }
}

export function notAllowed(finds: readonly FoundIn[], allowed: readonly AllowedFind[]): FoundIn[] {
  const known = new Set(allowed.map(({ fingerprint }) => fingerprint))
  return finds.filter(({ fingerprint }) => !known.has(fingerprint))
}

export function inWords({ where, kind, begins, fingerprint }: FoundIn): string {
  return `${where}: looks like a secret (${kind}), begins with ${begins}, fingerprint ${fingerprint}`
}
