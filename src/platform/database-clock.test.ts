import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseClock } from './database-clock.ts'

/** This machine's clock is ahead by so much, and each way to the database and back takes so long. */
function machine(aheadMs: number, wayMs: number) {
  let database = 1_000_000
  const { now, ask } = createDatabaseClock(() => new Date(database + aheadMs))
  return {
    look: (way = wayMs, ahead = aheadMs) => {
      aheadMs = ahead
      const heard = ask()
      database += way
      const said = new Date(database)
      database += way
      heard(said)
    },
    /** How far what it takes for the database's time is ahead of that. */
    off: () => now().getTime() - database,
  }
}

for (const aheadMs of [3_000, -3_000, 600_000, -600_000]) {
  test(`a clock that is off by ${aheadMs} ms is put right, and never shows more than the database's`, () => {
    const { look, off } = machine(aheadMs, 5)
    look()
    assert.equal(off(), -5, 'behind by as long as the answer took')
  })
}

test('a clock that is right stays as it is, however long the answer took', () => {
  for (const wayMs of [0, 5, 100, 2_000]) {
    const { look, off } = machine(0, wayMs)
    look()
    assert.equal(off(), 0)
  }
})

test('a clock that is set while it runs is put right with the next answer', () => {
  const { look, off } = machine(0, 5)
  look()
  look(5, 60_000)
  assert.equal(off(), -5)
  look(5, 0)
  assert.equal(off(), 0)
})

test('an answer that took long changes nothing that was known better', () => {
  const { look, off } = machine(3_000, 5)
  look()
  look(2_000)
  assert.equal(off(), -5)
})
