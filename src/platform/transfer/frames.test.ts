import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { OperatorError } from '../operator-error.ts'
import { type Frame, frameWriter, readFrames } from './frames.ts'

async function written(frames: ReadonlyArray<{ head: object; payload: Buffer }>): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  const write = frameWriter(async (bytes) => void chunks.push(bytes))
  for (const { head, payload } of frames) await write(head, payload)
  return chunks
}

async function read(bytes: Buffer, pieceLength = 7): Promise<Frame[]> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength)
  }
  return Array.fromAsync(readFrames(pieces()))
}

const SOME = [
  { head: { kind: 'first' }, payload: Buffer.from('line\nanother') },
  { head: { kind: 'empty', text: 'ü\n' }, payload: Buffer.alloc(0) },
  { head: { kind: 'last' }, payload: Buffer.from([0, 10, 255, 10]) },
]
const refused = (error: unknown) => error instanceof OperatorError

test('whatever was written is read, however it is cut into pieces', async () => {
  const frame = fc.record({
    head: fc.dictionary(
      fc.string().filter((name) => name !== 'bytes' && name !== '__proto__'),
      fc.jsonValue(),
    ),
    payload: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 5 }), fc.integer({ min: 1, max: 300 }), async (frames, length) => {
      const found = await read(Buffer.concat(await written(frames)), length)
      assert.deepEqual(
        found,
        frames.map(({ head, payload }) => ({
          head: JSON.parse(JSON.stringify({ ...head, bytes: payload.length })),
          payload,
        })),
      )
    }),
    { numRuns: 100 },
  )
})

test('every single byte counts', async () => {
  const whole = Buffer.concat(await written(SOME))
  for (let at = 0; at < whole.length; at++) {
    for (const other of [1, 0x20, 0x80]) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ other
      await assert.rejects(read(changed), refused, `byte ${at} changed by ${other}`)
    }
  }
})

test('an end within a frame is seen; one between two frames leaves out the last', async () => {
  const chunks = await written(SOME)
  const whole = Buffer.concat(chunks)
  const ends = new Set([0, chunks[0]?.length, (chunks[0]?.length ?? 0) + (chunks[1]?.length ?? 0)])
  for (let length = 0; length < whole.length; length++) {
    const part = whole.subarray(0, length)
    if (ends.has(length)) assert.ok((await read(part)).length < SOME.length)
    else await assert.rejects(read(part), refused, `${length} bytes`)
  }
})

test('frames that are left out, repeated, moved or from elsewhere', async () => {
  const [first = Buffer.alloc(0), second = Buffer.alloc(0), third = Buffer.alloc(0)] = await written(SOME)
  const [other = Buffer.alloc(0)] = await written(SOME.slice(1))
  for (const frames of [
    [second, third],
    [first, third],
    [first, second, second, third],
    [second, first, third],
    [first, other, third],
  ])
    await assert.rejects(read(Buffer.concat(frames)), refused)
})

test('what is something else is called so', async () => {
  const other = /not what "handover export" writes/
  await assert.rejects(read(Buffer.from('hello\n')), other)
  await assert.rejects(read(Buffer.from([0x1f, 0x8b, 8, 0, 10, 1, 2, 3])), other)
  await assert.rejects(read(Buffer.from(`${'0'.repeat(64)} {"bytes":99999999999}\n`)), other)
  await assert.rejects(read(Buffer.alloc(6_000_000, 'x'), 65_536), other, 'a line without an end is not read for ever')
})
