import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSafeToRevoke } from './unused-secret.ts'

const NOW = new Date('2026-07-01T12:00:00Z')
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000)
const secret = (id: string, created: number, used: number | null) => ({
  id,
  name: id,
  createdAt: hoursAgo(created),
  lastUsedAt: used === null ? null : hoursAgo(used),
})

const table: Array<[string, [number, number | null], [number, number | null] | null, boolean]> = [
  ['old and unused, the other in use', [500, 25], [30, 1], true],
  ['never used since the day before, the other in use', [25, null], [500, 1], true],
  ['made an hour ago, not used yet', [1, null], [500, 1], false],
  ['used an hour ago', [500, 1], [30, 1], false],
  ['unused, and the other too', [500, 25], [500, 25], false],
  ['unused, and the other never', [500, 25], [1, null], false],
  ['unused, and the only one', [500, 25], null, false],
  ['unused for a day to the second', [500, 24], [30, 1], true],
]
for (const [what, own, other, expected] of table) {
  test(`${expected ? 'safe to revoke' : 'not said'}: ${what}`, () => {
    const one = secret('one', ...own)
    const all = other === null ? [one] : [one, secret('other', ...other)]
    assert.equal(isSafeToRevoke(one, all, NOW), expected)
  })
}
