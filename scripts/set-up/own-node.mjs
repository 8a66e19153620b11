import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { lockedPackages } from './packages.mjs'
import { codeOf, root, say } from './run.mjs'

const ownNode = join(root, 'node_modules', '.bin', 'node')

/** The Node that the lock file asks for, such as "24". */
export function wantedMajor() {
  const entry = lockedPackages()['node_modules/node']
  return ((entry && entry.version) || '24').split('.')[0]
}

/** What is wrong with our own Node; empty when it is the right one. */
export function faultOfOwnNode() {
  if (!fs.existsSync(ownNode)) return 'it is missing'
  const answer = spawnSync(ownNode, ['--version'], { encoding: 'utf8', timeout: 10000 })
  if (answer.error) return `it does not run (${codeOf(answer.error)})`
  const version = answer.stdout.trim()
  if (version.startsWith(`v${wantedMajor()}.`)) return ''
  return version === '' ? 'it does not run' : `it is ${version}`
}

/**
 * The package `node` fetches its binary in an install script, which a person's npm settings may forbid.
 * @param {(pid: number) => void} started
 */
export async function repairOwnNode(started) {
  say(`fetching Node ${wantedMajor()} (npm rebuild node) …`)
  // npm would run that script with the broken binary, and take a package that was unpacked by half for a whole one.
  for (const part of ['bin', 'node_modules'])
    fs.rmSync(join(root, 'node_modules', 'node', part), { recursive: true, force: true })
  await npm(['rebuild', 'node', '--ignore-scripts=false'], started)
}
