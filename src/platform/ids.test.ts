import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from './ids.ts'

test('ids of one process sort in the order they were made, however many fall into one millisecond', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('aud'))
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
})

test('an id is its prefix and a UUIDv7 of this moment', () => {
  const before = Date.now()
  const hex = /^whk_([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.exec(newId('whk'))?.[1]
  assert.ok(hex !== undefined)
  const at = Number.parseInt(hex, 16)
  assert.ok(before <= at && at <= Date.now())
})
