import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { makeFromDraft } from '../../platform/draft-file.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { memberOf, numberOf, textOf } from '../json-value.ts'

/** What is reported of a forwarded delivery, as the API takes it. */
export type Report = {
  deliveryId: string
  attempt: number
  /** What the forwarded `webhook-timestamp` said. */
  signedAt?: number
  url: string
  status?: number
  error?: string
  message?: string
  durationMs: number
  responseHead?: string
  responseBody?: string
}

/** How far an attempt got: on its way to the local address, or answered there and not yet reported. */
export type Entry = { at: number } & ({ state: 'forwarding' } | { state: 'answered'; report: Report })

/**
 * Remembers what was forwarded and is not reported yet, so that it survives a kill: what was answered is then only reported,
 * and what may or may not have arrived is forwarded again and said to be a repetition (decision record 82).
 */
export type Journal = {
  /** There was one before: what it does not know was not forwarded from here. */
  isOld: boolean
  /** What an earlier run left behind, by key. */
  left: ReadonlyMap<string, Entry>
  /** Both are on disk when they return. */
  forwarding: (key: string) => Promise<void>
  answered: (key: string, report: Report) => Promise<void>
  /** Not waited for: who is killed now reports it again, and that is taken once. */
  reported: (key: string) => void
  close: () => Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

/** Nothing is handed out for longer than it is kept (decision D10). */
const FORGOTTEN_AFTER_MS = 31 * 86_400_000
/** When everything in it is over and it is longer than this, it begins anew. */
const LONG_BYTES = 1_024 * 1_024

/** The XDG base directory specification: a path that is not absolute is to be ignored. */
export function journalFile(env: Env, listener: { baseUrl: string; clientId: string; name: string }): string {
  const given = env['XDG_STATE_HOME'] ?? ''
  const folder = given.startsWith('/') ? given : join(env['HOME'] || homedir(), '.local', 'state')
  const { baseUrl, clientId, name } = listener
  const whose = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, name]))
    .digest('hex')
    .slice(0, 16)
  return join(folder, 'handover', `listen-${name}-${whose}.jsonl`)
}

export async function openJournal(file: string): Promise<Journal> {
  try {
    const text = await readFile(file, 'utf8').catch(absent)
    const left = entriesIn(text ?? '', Date.now())
    // A file of our own: another listen that is about to be told that we took over may still write to the one before.
    const lines = [...left].map(([key, entry]) => lineOf(key, entry))
    await makeFromDraft(file, lines.join(''), (draft) => rename(draft, file))
    return journalIn(file, await open(file, 'a', 0o600), left, text !== null)
  } catch (error) {
    throw unwritable(file, error)
  }
}

/** Without a journal a kill could repeat what it forwarded without a word, so nothing is forwarded. */
function unwritable(file: string, error: unknown): OperatorError {
  const why = error instanceof Error ? error.message : String(error)
  return new OperatorError(`The journal ${file} cannot be written: ${why}`, { cause: error })
}

function absent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
  throw error
}

function journalIn(file: string, handle: FileHandle, left: ReadonlyMap<string, Entry>, isOld: boolean): Journal {
  const unreported = new Set(left.keys())
  let size = 0
  let waiting: Array<{ line: string; done: () => void; failed: (error: unknown) => void }> = []
  let writing: Promise<void> | null = null

  /** Those that come while one is written to disk share the next. */
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting
      waiting = []
      try {
        if (unreported.size === 0 && size > LONG_BYTES) {
          await handle.truncate(0)
          size = 0
        }
        const text = some.map(({ line }) => line).join('')
        await handle.appendFile(text)
        await handle.datasync()
        size += text.length
        for (const { done } of some) done()
      } catch (error) {
        for (const { failed } of some) failed(unwritable(file, error))
      }
    }
    writing = null
  }

  function append(line: string): Promise<void> {
    const written = new Promise<void>((done, failed) => waiting.push({ line, done, failed }))
    writing ??= writeAll()
    return written
  }

  return {
    isOld,
    left,
    forwarding: (key) => {
      unreported.add(key)
      return append(lineOf(key, { state: 'forwarding', at: Date.now() }))
    },
    answered: (key, report) => append(lineOf(key, { state: 'answered', at: Date.now(), report })),
    reported: (key) => {
      unreported.delete(key)
      void append(`${JSON.stringify({ key, state: 'reported' })}\n`).catch(() => {})
    },
    close: async () => {
      await writing
      await handle.close()
    },
  }
}

function lineOf(key: string, entry: Entry): string {
  return `${JSON.stringify({ key, ...entry })}\n`
}

/** The last word on each; a line that was cut off in the middle says nothing. */
function entriesIn(text: string, now: number): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const line of text.split('\n')) {
    const value = parsed(line)
    const key = textOf(value, 'key')
    if (key === null) continue
    const entry = entryFrom(value)
    if (entry === null || now - entry.at > FORGOTTEN_AFTER_MS) entries.delete(key)
    else entries.set(key, entry)
  }
  return entries
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function entryFrom(value: unknown): Entry | null {
  const at = numberOf(value, 'at') ?? 0
  const state = textOf(value, 'state')
  if (state === 'forwarding') return { state, at }
  const report = memberOf(value, 'report')
  return state === 'answered' && isReport(report) ? { state, at, report } : null
}

function isReport(value: unknown): value is Report {
  return textOf(value, 'deliveryId') !== null && numberOf(value, 'attempt') !== null
}
