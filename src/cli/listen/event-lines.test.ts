import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventReader, type StreamEvent } from './event-lines.ts'

function readAll(pieces: readonly string[]): StreamEvent[] {
  const events: StreamEvent[] = []
  const read = eventReader((event) => events.push(event))
  for (const piece of pieces) read(piece)
  return events
}

const STREAM = ': still here\n\nid: 7\nevent: delivery\ndata: {"body":"a: b"}\n\nevent: waiting\ndata: {"count":1}\n\n'

test('events are the same however the stream is cut into pieces; comments are none', () => {
  const expected = [
    { event: 'delivery', data: { body: 'a: b' } },
    { event: 'waiting', data: { count: 1 } },
  ]
  for (let size = 1; size <= STREAM.length; size += 1) {
    const pieces = Array.from({ length: Math.ceil(STREAM.length / size) }, (_, place) =>
      STREAM.slice(place * size, (place + 1) * size),
    )
    assert.deepEqual(readAll(pieces), expected)
  }
})

test('an event that is not whole is not handed on, and data that is no JSON is nothing', () => {
  assert.deepEqual(readAll(['event: delivery\ndata: {}\n']), [])
  assert.deepEqual(readAll(['event: delivery\ndata: {\n\n']), [{ event: 'delivery', data: undefined }])
})

test('a stream without an end to its event is given up', () => {
  assert.throws(() => readAll(Array.from({ length: 10 }, () => 'x'.repeat(1_024 * 1_024))))
})
