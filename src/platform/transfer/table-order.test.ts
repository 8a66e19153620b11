import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrderOfReference } from './table-order.ts'

test('each table comes behind those it refers to, the others by name', () => {
  const references = [
    { from: 'a', to: 'c' },
    { from: 'c', to: 'd' },
    { from: 'b', to: 'b' },
    { from: 'a', to: 'elsewhere' },
  ]
  assert.deepEqual(inOrderOfReference(['d', 'c', 'b', 'a'], references), ['b', 'd', 'c', 'a'])
  assert.deepEqual(inOrderOfReference([], references), [])
})

test('a circle is not ordered but named', () => {
  const references = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'a' },
  ]
  assert.throws(() => inOrderOfReference(['a', 'b', 'c'], references), /in a circle: a, b/)
})
