import { createHash } from 'node:crypto'
import { OperatorError } from '../operator-error.ts'

/** What a frame says of itself, and the bytes that go with it. */
export type Frame = { head: unknown; payload: Buffer }

/** Takes bytes; resolves when more may come. */
export type Sink = (bytes: Buffer) => Promise<void>

export type WriteFrame = (head: object, payload?: Buffer) => Promise<void>

/** What a writer puts into one frame; rows that are longer go over several. */
export const PIECE_BYTES = 64 * 1_024

const SUM_LENGTH = 64
const LONGEST_HEAD = 4 * 1_024 * 1_024
const LONGEST_PAYLOAD = 4 * PIECE_BYTES
const NOTHING = Buffer.alloc(0)
const LINE_BREAK = 0x0a

/**
 * A frame is a checksum, a line of JSON that says what it is, and as many bytes as that line says. Each checksum covers its
 * frame and the checksum before it: whatever is changed, left out, repeated or moved is found at that very frame, before
 * anything of it is used.
 */
export function frameWriter(sink: Sink): WriteFrame {
  let sum = ''
  return async (head, payload = NOTHING) => {
    const line = JSON.stringify({ ...head, bytes: payload.length })
    sum = chained(sum, line, payload)
    await sink(Buffer.concat([Buffer.from(`${sum} ${line}\n`), payload]))
  }
}

/** Frame by frame, each one proven. Whether the last one is an end is for the reader to say. */
export async function* readFrames(source: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, undefined> {
  const bytes = byteReader(source)
  let sum = ''
  for (let isFirst = true; ; isFirst = false) {
    const line = await bytes.line()
    if (line === 'end') return undefined
    const parts = line === 'too-long' ? null : /^([0-9a-f]{64}) (\{.*\})$/.exec(line.toString('utf8'))
    if (parts === null) throw isFirst ? notAnExport() : damaged()
    const [, claimed = '', text = ''] = parts
    const length = lengthIn(text)
    if (length === null) throw isFirst ? notAnExport() : damaged()
    const payload = await bytes.take(length)
    sum = chained(sum, text, payload)
    if (sum !== claimed) throw damaged()
    yield { head: JSON.parse(text), payload }
  }
}

export function endsInTheMiddle(): OperatorError {
  return new OperatorError(
    'The export ends in the middle: it was cut off, or whoever wrote it failed. Nothing was imported.',
  )
}

export function damaged(): OperatorError {
  return new OperatorError(
    'The export is damaged: a part of it is not as it was written. Nothing was imported. Take another copy.',
  )
}

function notAnExport(): OperatorError {
  return new OperatorError(
    'This is not what "handover export" writes. If it was compressed, unpack it first: gunzip -c file | handover import',
  )
}

function chained(before: string, line: string, payload: Buffer): string {
  return createHash('sha256').update(`${before}${line}\n`).update(payload).digest('hex')
}

function lengthIn(text: string): number | null {
  let head: unknown
  try {
    head = JSON.parse(text)
  } catch {
    return null
  }
  const bytes: unknown = typeof head === 'object' && head !== null ? Reflect.get(head, 'bytes') : null
  return typeof bytes === 'number' && Number.isInteger(bytes) && bytes >= 0 && bytes <= LONGEST_PAYLOAD ? bytes : null
}

type ByteReader = {
  line: () => Promise<Buffer | 'end' | 'too-long'>
  take: (length: number) => Promise<Buffer>
}

function byteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = NOTHING

  async function more(): Promise<boolean> {
    const next = await chunks.next()
    if (next.done === true) return false
    held = held.length === 0 ? Buffer.from(next.value) : Buffer.concat([held, next.value])
    return true
  }

  return {
    async line() {
      for (let searched = 0; ; ) {
        const end = held.indexOf(LINE_BREAK, searched)
        if (end >= 0) {
          const line = held.subarray(0, end)
          held = held.subarray(end + 1)
          return line
        }
        searched = held.length
        if (searched > SUM_LENGTH + LONGEST_HEAD) return 'too-long'
        if (await more()) continue
        if (held.length === 0) return 'end'
        throw endsInTheMiddle()
      }
    },
    async take(length) {
      while (held.length < length) if (!(await more())) throw endsInTheMiddle()
      const taken = held.subarray(0, length)
      held = held.subarray(length)
      return taken
    },
  }
}
