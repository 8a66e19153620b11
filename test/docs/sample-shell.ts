import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocumentationFile, repository } from './documentation-files.ts'
import type { FencedBlock } from './fenced-blocks.ts'

/** The demo that the samples talk to. */
export type SampleDemo = { dataFolder: string; env: Record<string, string> }

/** The longest that a page may take, on a machine that is busy with other tests. */
const LONGEST_MS = 120_000

/**
 * The samples of one page, pasted one after the other into one shell, in a folder of its own that looks like the one where
 * the demo runs. Answers what went wrong, or null.
 */
export async function runSamples(
  file: DocumentationFile,
  blocks: readonly FencedBlock[],
  demo: SampleDemo,
): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'handover-samples-'))
  try {
    await mkdir(join(folder, 'data'))
    await cp(join(demo.dataFolder, 'demo.env'), join(folder, 'data/demo.env'))
    await mkdir(join(folder, '.bin'))
    await symlink(process.execPath, join(folder, '.bin/node'))
    await symlink(join(repository, 'bin/handover'), join(folder, '.bin/handover'))
    await writeFile(join(folder, '.samples.sh'), await scriptOf(folder, blocks))
    const { code, output } = await runInShell(folder, demo.env)
    if (code === 0) return null
    const reached = await readFile(join(folder, '.reached'), 'utf8').catch(() => '')
    return `${file.path}:${reached.trim()}: this sample ${code === null ? `was not done after ${LONGEST_MS / 1000} s` : `ended with ${code}`}. What was printed:\n${output}`
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Programs are files of their own, run where they stand on the page, with the variables that were exported until then. */
async function scriptOf(folder: string, blocks: readonly FencedBlock[]): Promise<string> {
  const parts: string[] = []
  for (const { line, language, text } of blocks) {
    parts.push(`echo ${line} > .reached`)
    if (language === 'sh') parts.push(text)
    else {
      const [program, ending] = language === 'js' ? ['node', 'mjs'] : ['python3', 'py']
      const name = `sample-${line}.${ending}`
      await writeFile(join(folder, name), text)
      parts.push(`${program} ${name}`)
    }
  }
  return `${parts.join('\n')}\n`
}

function runInShell(folder: string, env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['--noprofile', '--norc', '-eu', '-o', 'pipefail', '.samples.sh'], {
    cwd: folder,
    // A group of its own, so that whatever a page leaves running ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${join(folder, '.bin')}:${process.env['PATH'] ?? ''}`, HOME: folder, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => endGroup(child.pid), LONGEST_MS)
    child.on('error', reject)
    child.on('exit', () => {
      clearTimeout(timer)
      endGroup(child.pid)
    })
    child.on('close', (code) => resolve({ code, output }))
  })
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody of it is left.
  }
}
