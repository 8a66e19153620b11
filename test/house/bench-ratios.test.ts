import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sectionOf } from '../../bench/report.ts'
import type { Measurement } from '../../bench/rounds.ts'

function measured(perSecond: number, more: Partial<Measurement> = {}): Measurement {
  return { perSecond, p50: 1, p99: 2, cpu: 100, databaseCpu: null, failures: {}, ...more }
}

function barBetween(ours: Measurement[], peers: Measurement[], atLeast: number) {
  const rounds = new Map([
    ['ours', ours],
    ['peer', peers],
  ])
  const [bar] = sectionOf('a title', [{ of: 'ours', to: 'peer', atLeast }], rounds).bars
  assert.ok(bar)
  return bar
}

test('a ratio is taken within a round, and its median is judged', () => {
  const bar = barBetween([measured(100), measured(300), measured(40)], [measured(100), measured(100), measured(10)], 2)
  assert.deepEqual(bar.ratio, { median: 3, lowest: 1, highest: 4 })
  assert.ok(bar.reached)
  assert.equal(barBetween([measured(199)], [measured(100)], 2).reached, false)
})

test('by CPU, the database counts when it takes part on both sides', () => {
  const busy = measured(1, { cpu: 100, databaseCpu: 300 })
  assert.equal(barBetween([busy], [measured(1, { cpu: 100, databaseCpu: 700 })], 0).cpuRatio?.median, 2)
  assert.equal(barBetween([busy], [measured(1, { cpu: 50 })], 0).cpuRatio?.median, 0.5)
  assert.equal(barBetween([busy], [measured(1, { cpu: null })], 0).cpuRatio, null)
})

test('nobody reaches a bar by refusing, nor against who refuses', () => {
  const refusing = measured(1_000, { failures: { '500 no': 3 } })
  assert.equal(barBetween([refusing], [measured(1)], 2).reached, false)
  assert.equal(barBetween([measured(9_000)], [refusing], 2).reached, false)
})
