import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APPLICATION_KINDS, type ApplicationKind, fittingType } from './fitting-type.ts'

type Row = [kind: ApplicationKind, hasBackEnd: boolean, actsForPeople: boolean, type: string]

const table: Row[] = [
  ['website', true, true, 'web'],
  ['website', false, true, 'spa'],
  ['website', true, false, 'machine'],
  ['website', false, false, 'nowhere-to-keep-a-secret'],
  ['app', true, true, 'native'],
  ['app', false, true, 'native'],
  ['app', true, false, 'machine'],
  ['app', false, false, 'nowhere-to-keep-a-secret'],
  ['service', true, true, 'web'],
  ['service', true, false, 'machine'],
  ['service', false, true, 'runs-nowhere'],
  ['service', false, false, 'runs-nowhere'],
]
for (const [kind, hasBackEnd, actsForPeople, expected] of table) {
  test(`${kind}, ${hasBackEnd ? 'with' : 'without'} a back end, for ${actsForPeople ? 'people' : 'itself'}: ${expected}`, () => {
    const fitting = fittingType({ kind, hasBackEnd, actsForPeople })
    assert.equal(fitting.outcome === 'fits' ? fitting.type : fitting.outcome, expected)
  })
}

test('every answer is in the table', () => {
  assert.equal(table.length, APPLICATION_KINDS.length * 4)
})
