import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '../environment.ts'
import { environmentOf, mayTarget } from './audience.ts'

const audiences = { production: 'https://api.example', sandbox: 'https://sandbox.api.example' }
const both: Environment[] = ['production', 'sandbox']

test('an audience is of one environment, by its exact text', () => {
  assert.equal(environmentOf('https://api.example', audiences), 'production')
  assert.equal(environmentOf('https://sandbox.api.example', audiences), 'sandbox')
  for (const other of ['https://api.example/', 'HTTPS://api.example', 'production', '', 'toString']) {
    assert.equal(environmentOf(other, audiences), null)
  }
})

const cases: Array<[boolean, string | null, Environment[]]> = [
  [true, null, both],
  [true, null, []],
  [true, 'https://api.example', both],
  [true, 'https://sandbox.api.example', ['sandbox']],
  [false, 'https://api.example', ['sandbox']],
  [false, 'https://sandbox.api.example', ['production']],
  [false, 'https://elsewhere.example', both],
]
for (const [may, audience, environments] of cases) {
  test(`${may ? 'may' : 'may not'} target ${audience} with ${environments.join(' and ') || 'no environment'}`, () => {
    assert.equal(mayTarget({ environments }, audience, audiences), may)
  })
}
