import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findSecrets } from './find-secrets.ts'
import type { FoundIn } from './tracked-files.ts'

/** Larger than any text of ours: what is larger is named, not read. */
const LARGEST_BYTES = 4 * 1024 * 1024

export type HistoryScan = { objects: number; tooLarge: string[]; outOfTime: boolean; finds: FoundIn[] }

/** Every version of every file on every branch and tag, and every message, once each. */
export async function secretsInHistory(root: string, patienceMs: number): Promise<HistoryScan> {
  const until = performance.now() + patienceMs
  const listed = (await linesOf(root, ['rev-list', '--objects', '--all'])).filter((line) => line !== '')
  const pathOf = new Map(listed.map((line) => splitAt(line, line.indexOf(' '))))
  const scan: HistoryScan = { objects: 0, tooLarge: [], outOfTime: false, finds: [] }
  const git = spawn('git', ['cat-file', '--batch', '--buffer'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  // Ended before it had read all of its list: nobody listens any more.
  git.stdin.on('error', () => {})
  git.stdin.end([...pathOf.keys()].join('\n'))
  for await (const { id, kind, size, bytes } of objectsIn(git.stdout)) {
    if (performance.now() > until) {
      scan.outOfTime = true
      break
    }
    if (kind === 'tree') continue
    const where = `${id.slice(0, 12)} ${kind === 'blob' ? (pathOf.get(id) ?? '') : `(${kind})`}`
    if (size > LARGEST_BYTES) scan.tooLarge.push(where)
    else
      scan.finds.push(
        ...findSecrets(bytes.toString('latin1')).map((find) => ({ ...find, where: `${where}:${find.line}` })),
      )
    scan.objects += 1
  }
  git.kill()
  return scan
}

function splitAt(line: string, place: number): [id: string, path: string] {
  return place < 0 ? [line, ''] : [line.slice(0, place), line.slice(place + 1)]
}

async function linesOf(root: string, args: string[]): Promise<string[]> {
  const git = spawn('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  git.stdout.on('data', (chunk: Buffer) => void chunks.push(chunk))
  const [code] = await once(git, 'close')
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}`)
  return Buffer.concat(chunks).toString().split('\n')
}

type GitObject = { id: string; kind: string; size: number; bytes: Buffer }

/** `git cat-file --batch` writes "id kind size", a line feed, the bytes and another line feed. */
async function* objectsIn(output: AsyncIterable<Buffer>): AsyncGenerator<GitObject> {
  let head: { id: string; kind: string; size: number } | null = null
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of output) {
    parts.push(chunk)
    length += chunk.length
    while (head === null || length > head.size) {
      if (parts.length > 1) parts = [Buffer.concat(parts)]
      const waiting: Buffer = parts[0] ?? Buffer.alloc(0)
      if (head === null) {
        const end = waiting.indexOf('\n')
        if (end < 0) break
        const [id = '', kind = '', size = '0'] = waiting.toString('latin1', 0, end).split(' ')
        // Where a clone has not all of its objects, "id missing" stands alone.
        if (kind !== 'missing') head = { id, kind, size: Number(size) }
        parts = [waiting.subarray(end + 1)]
      } else {
        yield { ...head, bytes: waiting.subarray(0, head.size) }
        parts = [waiting.subarray(head.size + 1)]
        head = null
      }
      length = parts[0]?.length ?? 0
    }
  }
}
