import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A failure that one line explains. */
export class SetUpError extends Error {}

/** @param {string} line */
export const say = (line) => process.stderr.write(`set-up: ${line}\n`)

/** @param {unknown} error */
export const codeOf = (error) => (error instanceof Error && 'code' in error ? String(error.code) : String(error))

// npm scripts put node_modules/.bin first. What we start must not run on a Node that we are about to replace.
export const searchPath = (process.env['PATH'] || '')
  .split(delimiter)
  .filter((folder) => folder !== '' && !folder.endsWith(join('node_modules', '.bin')))

/** @param {string} name */
export function onPath(name) {
  return searchPath.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Runs a program to its end; its output is shown to nobody unless it fails. Signals reach it through us.
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, started?: (pid: number) => void }} [more]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function run(program, args, { env = {}, started = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: searchPath.join(delimiter), ...env },
    })
    let output = ''
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      output = (output + chunk.toString()).slice(-65536)
    }
    let stopped = false
    /** @param {NodeJS.Signals} signal */
    const pass = (signal) => {
      stopped = true
      child.kill(signal)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    process.on('SIGINT', pass).on('SIGTERM', pass).on('SIGHUP', pass)
    child.on('error', (error) => reject(new SetUpError(`${program} does not start (${codeOf(error)})`)))
    child.on('close', (code) => {
      process.off('SIGINT', pass).off('SIGTERM', pass).off('SIGHUP', pass)
      if (stopped) reject(new SetUpError('stopped; the next run begins again'))
      else resolve({ ok: code === 0, output })
    })
    if (child.pid !== undefined) started(child.pid)
  })
}
