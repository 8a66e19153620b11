import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrapText } from './wrapped-text.ts'

const cases: Array<[title: string, text: string, most: number, lines: string[]]> = [
  ['what fits stays', 'a token', 10, ['a token']],
  ['words are kept whole', 'one two three', 7, ['one two', 'three']],
  ['an address is broken behind a mark', 'GET /oidc/authorize?a=b', 12, ['GET /oidc/', 'authorize?', 'a=b']],
  ['a word without a mark is broken anywhere', 'abcdefgh', 3, ['abc', 'def', 'gh']],
]
for (const [title, text, most, lines] of cases) {
  test(title, () => assert.deepEqual(wrapText(text, most), lines))
}

test('nothing is lost and no line is too long', () => {
  const text = 'POST /oidc/oauth/token grant_type=authorization_code&code_verifier=… with the secret'
  for (const most of [5, 9, 20, 200]) {
    const lines = wrapText(text, most)
    assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
    for (const line of lines) assert.ok(line.length <= most, line)
  }
})
