import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, shownUri } from './shown-uri.ts'

const REGISTERED = ['https://app.example/callback', 'https://app.example/callback?tenant=5&plain']

const cases: Array<[what: string, sent: string, shown: string]> = [
  ['what is registered', 'https://app.example/callback', 'https://app.example/callback'],
  ['another path', 'https://app.example/other', 'https://app.example/other'],
  ['a code in the query', 'https://app.example/cb?code=abc&state=xyz', 'https://app.example/cb?code=…&state=…'],
  ['a value that is registered', 'https://app.example/cb?tenant=5&code=abc', 'https://app.example/cb?tenant=5&code=…'],
  ['another value of the same name', 'https://app.example/callback?tenant=6', 'https://app.example/callback?tenant=…'],
  ['a name alone', 'https://app.example/cb?plain&secret', 'https://app.example/cb?plain&…'],
  ['an empty value, an empty pair', 'https://app.example/cb?a=&&b=', 'https://app.example/cb?a=&&b='],
  ['an empty query', 'https://app.example/cb?', 'https://app.example/cb?'],
  ['a token in the fragment', 'https://app.example/#access_token=abc', 'https://app.example/#…'],
  ['an empty fragment', 'https://app.example/cb#', 'https://app.example/cb#'],
  ['a query behind the fragment', 'https://app.example/#a?code=abc', 'https://app.example/#…'],
  ['a password', 'https://me:pass@word@app.example/cb', 'https://…@app.example/cb'],
  ['no URI at all', 'callback', 'callback'],
  ['nothing', '', ''],
  ['control and direction characters', 'https://a.example/\n\u202ecb', 'https://a.example/\ufffd\ufffdcb'],
]

for (const [what, sent, shown] of cases) {
  test(`kept of a redirect URI: ${what}`, () => assert.equal(shownUri(sent, REGISTERED), shown))
}

test('of a long one only the beginning is kept, and no character is cut in two', () => {
  assert.equal(shownUri(`https://app.example/${'x'.repeat(5_000)}`, []).length, 500)
  assert.equal(plain('👩‍⚕️'.repeat(10), 3), `👩\u200d…`)
  assert.equal(plain('a\ud800b', 10), 'a\ufffdb')
})
