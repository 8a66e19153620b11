import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { root, SetUpError, say } from './run.mjs'

/**
 * What we read of an entry in package-lock.json, and in npm's own record of what it installed.
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[] }} Entry
 * @typedef {Record<string, Entry>} Entries
 */

/**
 * @param {string} file
 * @returns {Entries | undefined}
 */
function entriesOf(file) {
  try {
    /** @type {{ packages: Entries }} */
    const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    return packages
  } catch {
    return undefined
  }
}

export function lockedPackages() {
  const entries = entriesOf('package-lock.json')
  if (entries === undefined) throw new SetUpError('package-lock.json is missing or broken; restore it from git')
  return entries
}

/**
 * Lists such as ["linux"] or ["!win32"] in a package's `os` and `cpu`.
 * @param {string[] | undefined} list
 * @param {string} value
 */
function fits(list, value) {
  if (list === undefined || list.includes(value)) return true
  return !list.includes(`!${value}`) && list.every((item) => item.startsWith('!'))
}

/**
 * Whether node_modules is what package-lock.json asks for. npm writes its record node_modules/.package-lock.json last, so
 * an install that was killed has none; comparing contents needs no dates, which a clone or a copy would falsify.
 * @param {boolean} forTests
 */
export function packagesAreCurrent(forTests) {
  const wanted = lockedPackages()
  const found = entriesOf('node_modules/.package-lock.json')
  if (found === undefined) return false
  const nothingWrong = Object.entries(found).every(([path, { version, integrity }]) => {
    const asked = wanted[path]
    if (asked === undefined || asked.version !== version || asked.integrity !== integrity) return false
    const forThisMachine = fits(asked.os, process.platform) && fits(asked.cpu, process.arch)
    return forThisMachine && existsSync(join(root, path, 'package.json'))
  })
  const nothingMissing = Object.entries(wanted).every(([path, { dev, optional, devOptional }]) => {
    const mayBeAbsent = path === '' || optional || devOptional || (dev && !forTests)
    return mayBeAbsent || found[path] !== undefined
  })
  return nothingWrong && nothingMissing
}

/**
 * @param {boolean} forTests
 * @param {(pid: number) => void} started
 */
export async function installPackages(forTests, started) {
  say('installing packages (npm ci) …')
  // A person's npm settings may leave these groups out; the database and the checks are in them.
  const groups = ['--include=optional', '--include=peer', ...(forTests ? ['--include=dev'] : [])]
  await npm(['ci', ...groups], started)
}
