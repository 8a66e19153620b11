import { type ChildProcess, spawn } from 'node:child_process'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

// What a failed test leaves behind would keep its file, and with it the whole run, from ever ending.
const running = new Set<ChildProcess>()
after(() => running.forEach((child) => child.kill('SIGKILL')))

/** The command line in a process of its own, as an operator runs it. */
export type HandoverProcess = {
  child: ChildProcess
  /** Standard output and error so far. */
  out: () => string
  err: () => string
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  /** Resolves when standard output or error matches; rejects when the process ends first. */
  says: (pattern: RegExp) => Promise<RegExpExecArray>
}

export function runHandover(args: string[], env: Record<string, string>, cwd?: string): HandoverProcess {
  return runProgram(process.execPath, [MAIN, ...args], env, cwd)
}

/** The same where it is started in another way. */
export function runProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
  cwd?: string,
): HandoverProcess {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  running.add(child)
  child.on('close', () => running.delete(child))
  let out = ''
  let err = ''
  const watchers = new Set<() => void>()
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    for (const watch of watchers) watch()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
    for (const watch of watchers) watch()
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 1))
  })
  return {
    child,
    out: () => out,
    err: () => err,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          const match = pattern.exec(`${out}\n${err}`)
          if (!match) return
          watchers.delete(watch)
          resolve(match)
        }
        watchers.add(watch)
        watch()
        void ended.then((code) => reject(new Error(`ended (${code}) before it said ${pattern}:\n${out}\n${err}`)))
      }),
  }
}
