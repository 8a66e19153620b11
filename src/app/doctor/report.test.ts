import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ok, wrong } from './finding.ts'
import { reportLines } from './report.ts'

test('what a stranger at the public address says is shown, and does nothing to the terminal', () => {
  const said = 'the issuer there is \u001b]0;mine\u0007\u001b[2J\rok\u009b31m, here it is https://id.example.com'
  assert.equal(
    reportLines([wrong('discovery', said, 'Look.'), ok('configuration', 'one\ntwo')], false),
    `wrong    discovery      the issuer there is ?]0;mine??[2J?ok?31m, here it is https://id.example.com
                        Look.
ok       configuration  one
                        two`,
  )
})
