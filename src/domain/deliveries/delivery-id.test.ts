import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsBetween, isDeliveryId } from './delivery-id.ts'

const at = (text: string) => new Date(text)

test('a range of time is a range of ids and of days, with room for a transaction behind it', () => {
  assert.deepEqual(idsBetween(at('2026-11-15T08:00:00Z'), at('2026-11-16T00:00:00Z')), {
    first: 'dlv_01a1de386400',
    beyond: `dlv_0${(at('2026-11-16T00:05:00Z').getTime()).toString(16)}`,
    firstDay: '2026-11-15',
    lastDay: '2026-11-16',
  })
})

test('without a beginning or an end it is everything', () => {
  const { first, beyond, firstDay, lastDay } = idsBetween(null, null)
  const id = `dlv_${'f'.repeat(32)}`
  assert.ok(first < `dlv_${'0'.repeat(32)}` && id < beyond)
  assert.deepEqual([firstDay, lastDay], ['1970-01-01', '9999-12-31'])
})

test('what is not an id is not looked for', () => {
  for (const text of ['', 'dlv_', 'dlv_0', `whk_${'0'.repeat(32)}`, `dlv_${'0'.repeat(31)}G`, `dlv_${'0'.repeat(33)}`])
    assert.equal(isDeliveryId(text), false, text)
  assert.equal(isDeliveryId(`dlv_${'0'.repeat(32)}`), true)
})
