import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFromDraft } from '../../platform/draft-file.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { memberOf, numberOf, parsedJson, textOf } from '../json-value.ts'
import { ownFolder } from '../own-folder.ts'

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

/** Whether this was forwarded before: surely not, surely begun, or by somebody whose journal is not here. */
export type Repetition = (typeof REPETITIONS)[number]
const REPETITIONS = ['first', 'repeated', 'possibly repeated'] as const

/** How far an attempt got: on its way to the local address, or answered there and not yet reported, perhaps not even told. */
export type Entry = { at: number } & (
  | { state: 'forwarding' }
  | { state: 'answered'; report: Report; repetition: Repetition }
)

/**
 * Remembers what was forwarded and is not reported yet, so that it survives a kill: what was answered is then only reported,
 * and what may or may not have arrived is forwarded again and said to be a repetition (decision record 82).
 */
export type Journal = {
  /**
   * The stream with which the last run ended in order. If the next one is ours as well, what was handed out and is not known
   * here was not forwarded. Null after a kill, and while another run is still at it.
   */
  lastStream: number | null
  /** What an earlier run left behind, by key. */
  left: ReadonlyMap<string, Entry>
  /** Both are on disk when they return. */
  forwarding: (key: string) => Promise<void>
  answered: (key: string, report: Report, repetition: Repetition) => Promise<void>
  /** Not waited for: who is killed now reports it again, and that is taken once. */
  reported: (key: string) => void
  close: (lastStream: number | null) => Promise<void>
}

type Env = Readonly<Record<string, string | undefined>>

/** Nothing is handed out for longer than it is kept (decision D10). */
const FORGOTTEN_AFTER_MS = 31 * 86_400_000
/** When everything in it is over and it is longer than this, it begins anew. */
const LONG_BYTES = 1_024 * 1_024

export function journalFile(env: Env, listener: { baseUrl: string; clientId: string; name: string }): string {
  const { baseUrl, clientId, name } = listener
  const whose = createHash('sha256')
    .update(JSON.stringify([baseUrl, clientId, name]))
    .digest('hex')
    .slice(0, 16)
  return join(ownFolder(env, 'XDG_STATE_HOME'), `listen-${name}-${whose}.jsonl`)
}

export async function openJournal(file: string): Promise<Journal> {
  try {
    const text = await readFile(file, 'utf8').catch(absent)
    const left = entriesIn(text, Date.now())
    // A file of our own: another listen that is about to be told that we took over may still write to the one before.
    const lines = [...left].map(([key, entry]) => lineOf(key, entry))
    await makeFromDraft(file, lines.join(''), (draft) => rename(draft, file))
    return journalIn(file, await open(file, 'a', 0o600), left, lastStreamIn(text))
  } catch (error) {
    throw unwritable(file, error)
  }
}

/** Without a journal a kill could repeat what it forwarded without a word, so nothing is forwarded. */
function unwritable(file: string, error: unknown): OperatorError {
  const why = error instanceof Error ? error.message : String(error)
  return new OperatorError(
    `The journal ${file} cannot be written: ${why}. Make room or remove it, or set XDG_STATE_HOME to a folder of yours.`,
    { cause: error },
  )
}

function absent(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
  throw error
}

function journalIn(
  file: string,
  handle: FileHandle,
  left: ReadonlyMap<string, Entry>,
  lastStream: number | null,
): Journal {
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
    lastStream,
    left,
    forwarding: (key) => {
      unreported.add(key)
      return append(lineOf(key, { state: 'forwarding', at: Date.now() }))
    },
    answered: (key, report, repetition) =>
      append(lineOf(key, { state: 'answered', at: Date.now(), report, repetition })),
    reported: (key) => {
      unreported.delete(key)
      void append(`${JSON.stringify({ key, state: 'reported' })}\n`).catch(() => {})
    },
    close: async (stream) => {
      // Written last, so that there is no such line unless everything else is there.
      if (stream !== null) await append(`${JSON.stringify({ stream })}\n`).catch(() => {})
      await writing
      await handle.close()
    },
  }
}

function lineOf(key: string, entry: Entry): string {
  return `${JSON.stringify({ key, ...entry })}\n`
}

function lastStreamIn(text: string): number | null {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  return numberOf(parsedJson(last), 'stream')
}

/** The last word on each; a line that was cut off in the middle says nothing. */
function entriesIn(text: string, now: number): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const line of text.split('\n')) {
    const value = parsedJson(line)
    const key = textOf(value, 'key')
    if (key === null) continue
    const entry = entryFrom(value)
    if (entry === null || now - entry.at > FORGOTTEN_AFTER_MS) entries.delete(key)
    else entries.set(key, entry)
  }
  return entries
}

function entryFrom(value: unknown): Entry | null {
  const at = numberOf(value, 'at') ?? 0
  const state = textOf(value, 'state')
  if (state === 'forwarding') return { state, at }
  const report = memberOf(value, 'report')
  if (state !== 'answered' || !isReport(report)) return null
  const repetition = REPETITIONS.find((each) => each === textOf(value, 'repetition')) ?? 'first'
  return { state, at, report, repetition }
}

function isReport(value: unknown): value is Report {
  return textOf(value, 'deliveryId') !== null && numberOf(value, 'attempt') !== null
}
