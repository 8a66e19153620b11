import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { watchTurns } from './loop-turn.ts'
import { unsent } from './unsent.ts'

test('who comes after a few others and after a while is late, until the turn is over', async (t) => {
  const pass = heldClock(t)
  const isLate = watchTurns(2)
  await nextTurn()
  assert.deepEqual([isLate(5), isLate(5), isLate(5)], [false, false, false], 'many, but at once')
  await nextTurn()
  assert.equal(isLate(5), false)
  pass(10)
  assert.equal(isLate(5), false, 'after a while, but few')
  assert.equal(isLate(5), true)
  await Promise.resolve()
  assert.equal(isLate(5), true, 'what a promise does is still in the same turn')
  await nextTurn()
  assert.equal(isLate(5), false)
})

test('what was put off to the end of a turn goes when somebody comes and the turn is long already', async (t) => {
  const pass = heldClock(t)
  const isLate = watchTurns(1)
  let sent = 0
  const send = () => {
    sent += 1
    unsent.delete(send)
  }
  await nextTurn()
  isLate(60_000)
  unsent.add(send)
  pass(15)
  assert.equal(isLate(60_000), false)
  assert.equal(sent, 1)
})

/** It goes on only when it is told to: on a busy machine a few milliseconds pass between any two lines. */
function heldClock(t: TestContext): (ms: number) => void {
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  return (ms) => {
    now += ms
  }
}
