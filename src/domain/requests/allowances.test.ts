import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAllowances, type Kind } from './allowances.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

/** How many of so many are kept. */
function kept(take: () => number | null, times: number): number {
  return Array.from({ length: times }, take).filter((before) => before !== null).length
}

for (const [kind, burst, perMinute] of [
  ['refused', 100, 20],
  ['done', 60, 6],
] satisfies Array<[Kind, number, number]>) {
  test(`${kind}: ${burst} at once, then ${perMinute} a minute, and the next one says how many were left out`, () => {
    const { take } = createAllowances()
    assert.equal(
      kept(() => take(kind, 'app_1', NOW), 1_000),
      burst,
    )
    assert.equal(take(kind, 'app_1', NOW + 11_000), 1_000 - burst)
    assert.equal(
      kept(() => take(kind, 'app_1', NOW + 71_000), 1_000),
      perMinute + (kind === 'refused' ? 2 : 0),
    )
    assert.equal(
      kept(() => take(kind, 'app_2', NOW), 1_000),
      burst,
      'a neighbour has its own',
    )
  })
}

test('all of them together: ten thousand at once, then twenty a second, however many names are used', () => {
  const { take } = createAllowances()
  let name = 0
  const next = () => take('refused', `app_${(name += 1)}`, NOW)
  assert.equal(kept(next, 50_000), 10_000)
  assert.equal(
    kept(() => take('refused', `app_${(name += 1)}`, NOW + 1_000), 1_000),
    20,
  )
  assert.equal(take('done', 'app_1', NOW), 0, 'refusals never take the room of successes')
})

test('ids that are made up: two hundred at once, then five a second, and nobody else’s room is taken', () => {
  const { take } = createAllowances()
  let name = 0
  assert.equal(
    kept(() => take('claimed', `app_${(name += 1)}`, NOW), 50_000),
    200,
  )
  assert.equal(
    kept(() => take('claimed', `app_${(name += 1)}`, NOW + 1_000), 1_000),
    5,
  )
  assert.equal(
    kept(() => take('refused', 'app_1', NOW), 1_000),
    100,
  )
})

test('a clock that goes back gives nothing and takes nothing', () => {
  const { take } = createAllowances()
  assert.equal(
    kept(() => take('refused', 'app_1', NOW), 1_000),
    100,
  )
  assert.equal(take('refused', 'app_1', NOW - 3_600_000), null)
  assert.equal(take('refused', 'app_1', NOW + 3_000), 901)
})
