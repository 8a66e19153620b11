import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomForReplay } from './replay.ts'

test('a step takes up a second’s worth, and less when much waits already', () => {
  for (const [perSecond, waiting, room] of [
    [50, 0, 50],
    [50, 50, 50],
    [50, 51, 49],
    [50, 99, 1],
    [50, 100, 0],
    [50, 200_000, 0],
    [1, 0, 1],
    [1, 1, 1],
    [1, 2, 0],
  ] as const)
    assert.equal(roomForReplay({ perSecond, waiting }), room, `${perSecond} a second, ${waiting} waiting`)
})
