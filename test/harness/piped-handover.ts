import { type ChildProcess, spawn } from 'node:child_process'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

const running = new Set<ChildProcess>()
after(() => running.forEach((child) => child.kill('SIGKILL')))

/** A command whose standard input and output are ours to fill, to read or to leave alone. */
export type PipedHandover = {
  child: ChildProcess
  err: () => string
  ended: Promise<number | NodeJS.Signals>
}

export function pipeHandover(
  args: string[],
  env: Record<string, string>,
  input: 'ignore' | 'pipe' | ChildProcess = 'ignore',
): PipedHandover {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: [typeof input === 'string' ? input : input.stdout, 'pipe', 'pipe'],
  })
  running.add(child)
  let err = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('exit', (code, signal) => {
      running.delete(child)
      resolve(code ?? signal ?? 1)
    })
  })
  return { child, err: () => err, ended }
}

/** `handover export | handover import`, each with an environment of its own. */
export async function moveBetween(
  from: Record<string, string>,
  to: Record<string, string>,
): Promise<{ exported: PipedHandover; imported: PipedHandover; codes: Array<number | NodeJS.Signals> }> {
  const exported = pipeHandover(['export'], from)
  const imported = pipeHandover(['import'], to, exported.child)
  // Only the two of them hold the pipe: either end notices when the other goes.
  exported.child.stdout?.destroy()
  return { exported, imported, codes: await Promise.all([exported.ended, imported.ended]) }
}
