import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createGate, type Gate } from './gate.ts'

const PATIENT = { atOnce: 1, waiting: 3, longestWaitMs: 60_000 }

describe('a gate', () => {
  test('lets so many in at once, and the next one when somebody leaves', async () => {
    const gate = createGate({ ...PATIENT, atOnce: 2 })
    assert.deepEqual([gate.tryEnter(), gate.tryEnter(), gate.tryEnter()], [true, true, false])
    const line = standing(gate, ['first', 'second'])
    await nextTurn()
    assert.deepEqual(line.happened, [])
    gate.leave()
    await nextTurn()
    assert.deepEqual(line.happened, ['first goes'])
    gate.leave()
    await nextTurn()
    assert.deepEqual(line.happened, ['first goes', 'second goes'])
  })

  test('nobody who comes later passes who stands in line', async () => {
    const gate = createGate(PATIENT)
    assert.ok(gate.tryEnter())
    const line = standing(gate, ['first', 'second'])
    gate.leave()
    assert.equal(gate.tryEnter(), false)
    await nextTurn()
    assert.deepEqual(line.happened, ['first goes'])
  })

  test('who steps out is passed over, and makes room', async () => {
    const gate = createGate(PATIENT)
    gate.tryEnter()
    const line = standing(gate, ['first', 'second', 'third'])
    assert.equal(gate.full(), true)
    line.stepOut('first')
    assert.equal(gate.full(), false)
    gate.leave()
    await nextTurn()
    assert.deepEqual(line.happened, ['second goes'])
    line.stepOut('second')
    gate.leave()
    await nextTurn()
    assert.deepEqual(line.happened, ['second goes', 'third goes'])
  })

  test('while nobody leaves, the line becomes shorter', async () => {
    const gate = createGate({ atOnce: 1, waiting: 1_000, longestWaitMs: 60_000 })
    gate.tryEnter()
    for (let count = 0; count < 900; count += 1) gate.standInLine({ go: () => {}, refuse: assert.fail })
    assert.equal(gate.full(), false)
    await untilLooked()
    assert.equal(gate.full(), true)
  })

  test('who waited for too long is refused though nobody leaves, and a place that is free then is taken at once', async () => {
    const gate = createGate({ ...PATIENT, longestWaitMs: 20 })
    gate.tryEnter()
    await new Promise<void>((refused) => gate.standInLine({ go: assert.fail, refuse: refused }))
    gate.leave()
    assert.ok(gate.tryEnter())
  })

  test('one that takes its time closes the line to nobody who may wait for it', async () => {
    const gate = createGate({ ...PATIENT, waiting: 100 })
    gate.tryEnter()
    standing(gate, ['first'])
    await untilLooked()
    assert.equal(gate.full(), false)
    gate.leave()
  })

  test('a place that becomes free after a stall goes to somebody who may still wait', async (t) => {
    // A clock that is moved: between any two lines a busy machine may take longer than anybody may wait here.
    let now = performance.now()
    t.mock.method(performance, 'now', () => now)
    const gate = createGate({ atOnce: 1, waiting: 10, longestWaitMs: 20 })
    gate.tryEnter()
    const line = standing(gate, ['late'])
    now += 25
    const later = standing(gate, ['fresh'])
    gate.leave()
    await nextTurn()
    assert.deepEqual([line.happened, later.happened], [['late is refused'], ['fresh goes']])
  })

  test('whoever is done at once does not let the next one in from within: a long line is no deep stack', async () => {
    const gate = createGate({ atOnce: 1, waiting: 100_000, longestWaitMs: 60_000 })
    gate.tryEnter()
    let gone = 0
    const go = () => {
      gone += 1
      gate.leave()
    }
    for (let count = 0; count < 10_000; count += 1) gate.standInLine({ go, refuse: assert.fail })
    gate.leave()
    await nextTurn()
    assert.equal(gone, 10_000)
  })
})

/** It looks ten times a second, and this timer was set after its own. */
function untilLooked(): Promise<void> {
  return sleep(150)
}

function standing(gate: Gate, names: string[]) {
  const happened: string[] = []
  const stepsOut = new Map(
    names.map((name) => [
      name,
      gate.standInLine({
        go: () => happened.push(`${name} goes`),
        refuse: () => happened.push(`${name} is refused`),
      }),
    ]),
  )
  return { happened, stepOut: (name: string) => stepsOut.get(name)?.() }
}
