import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { after } from 'node:test'
import { unescapeHtml } from './page-forms.ts'
import type { WebAnswer } from './web-client.ts'

/** Whether this machine can run what a page tells people to run. */
export const shellMissing = ['bash', 'curl', 'openssl'].find((tool) => !isThere(tool, '--version', 'version'))
export const pythonMissing = !isThere('python3', '--version') && 'no python3 here'

const running = new Set<ChildProcessWithoutNullStreams>()
after(() => running.forEach((child) => child.kill('SIGKILL')))

/** What a page offers to copy, by its name, as it would be pasted. */
export function snippetOf(page: WebAnswer, name: string): string {
  const found = [...page.text.matchAll(/data-copy="([^"]*)"><code>([\s\S]*?)<\/code>/g)].find(
    ([, each = '']) => unescapeHtml(each) === name,
  )
  assert.ok(found, `no snippet “${name}” at ${page.url}: ${page.status}`)
  return unescapeHtml(found[2] ?? '')
}

/** A shell that is open for as long as the test: what is pasted runs in it, and what it asks for is typed. */
export class Terminal {
  readonly #child = start('bash', ['--noprofile', '--norc'], {})
  #output = ''
  #pasted = 0

  constructor() {
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString()
      })
  }

  /** Answers what came out of it. */
  async paste(text: string, ...typed: string[]): Promise<string> {
    this.#pasted += 1
    const end = `pasted ${this.#pasted}`
    const before = this.#output.length
    this.#child.stdin.write(`${[text, ...typed].join('\n')}\necho; echo '${end}'\n`)
    await until(this.#child, () => this.#output.includes(end, before))
    return this.#output.slice(before, this.#output.indexOf(end, before)).trim()
  }
}

/** A program of a page, with what it says so far. */
export type Program = {
  says: (pattern: RegExp) => Promise<string>
  type: (line: string) => void
  /** Its exit code. */
  ended: Promise<number | null>
  out: () => string
}

/** Runs where the project's packages are found. */
export function runProgram(language: 'node' | 'python3', text: string, env: Record<string, string>): Program {
  const child =
    language === 'node'
      ? start(process.execPath, ['--input-type=module', '-e', text], env)
      : start('python3', ['-c', text], env)
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
  const ended = new Promise<number | null>((resolve) => void child.on('close', resolve))
  return {
    out: () => out,
    ended,
    type: (line) => void child.stdin.write(`${line}\n`),
    says: async (pattern) => {
      await until(child, () => pattern.test(out))
      return pattern.exec(out)?.[1] ?? ''
    },
  }
}

function start(command: string, args: string[], env: Record<string, string>): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
  })
  running.add(child)
  child.on('close', () => running.delete(child))
  child.stdin.on('error', () => {})
  return child
}

/** Looked at whenever something comes out; fails when the process ends before it is so. */
async function until(child: ChildProcessWithoutNullStreams, isSo: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => isSo() && resolve()
  const end = () => (isSo() ? resolve() : reject(new Error(`${child.spawnfile} ended before it was done`)))
  const streams = [child.stdout, child.stderr]
  for (const stream of streams) stream.on('data', look)
  child.on('close', end)
  look()
  try {
    await promise
  } finally {
    for (const stream of streams) stream.off('data', look)
    child.off('close', end)
  }
}

function isThere(tool: string, ...flags: string[]): boolean {
  return flags.some((flag) => spawnSync(tool, [flag]).status === 0)
}
