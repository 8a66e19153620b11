import { type ChildProcess, spawn } from 'node:child_process'
import { type Cores, pinned } from './cores.ts'

/** A process of the benchmark with a line to it: messages out, one answer back for each. */
export type Child = {
  pid: number
  /** What it said first, where it was waited for. */
  greeting: unknown
  ask: (message: object | string) => Promise<unknown>
  stop: () => Promise<void>
}

export async function startChild(
  cores: Cores,
  args: string[],
  env: Record<string, string> = {},
  options: { awaitMessage: boolean } = { awaitMessage: true },
): Promise<Child> {
  const [command, commandArgs] = pinned(cores, args)
  const child = spawn(command, commandArgs, {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...profiling(), ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const greeting = options.awaitMessage ? await nextMessage(child) : null
  return {
    pid: child.pid ?? 0,
    greeting,
    ask: (message) => {
      const answer = nextMessage(child)
      child.send(message)
      return answer
    },
    stop: () =>
      new Promise((done) => {
        if (child.exitCode !== null || child.signalCode !== null) return done()
        child.once('exit', () => done())
        child.kill('SIGTERM')
      }),
  }
}

/** BENCH_PROFILE=<folder> writes a CPU profile of every process there, for Chromium's developer tools. */
function profiling(): Record<string, string> {
  const folder = process.env['BENCH_PROFILE']
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`A process of the benchmark ended (${code})`))
    child.once('exit', ended)
    child.once('error', reject)
    child.once('message', (message) => {
      child.off('exit', ended)
      child.off('error', reject)
      resolve(message)
    })
  })
}
