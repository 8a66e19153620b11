import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsBetween, isDeliveryId } from './delivery-id.ts'

test('a range of time is a range of ids, with room for a transaction behind it', () => {
  const range = idsBetween(new Date('2026-11-15T08:00:00Z'), new Date('2026-11-15T08:55:00Z'))
  assert.deepEqual(range, { first: 'dlv_01a1de386400', beyond: 'dlv_01a1de6f5280' })
})

test('without a beginning or an end there is no limit', () => {
  assert.deepEqual(idsBetween(null, null), { first: null, beyond: null })
})

test('what is not an id is not looked for', () => {
  for (const text of ['', 'dlv_', 'dlv_0', `whk_${'0'.repeat(32)}`, `dlv_${'0'.repeat(31)}G`, `dlv_${'0'.repeat(33)}`])
    assert.equal(isDeliveryId(text), false, text)
  assert.equal(isDeliveryId(`dlv_${'0'.repeat(32)}`), true)
})
