import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closestUri, type Difference, type Piece } from './closest-uri.ts'

const REGISTERED = [
  'https://app.example.com/callback',
  'https://app.example.com/silent/renew/',
  'http://localhost:3000/callback',
  'https://www.rota.example/oauth/return?tenant=5',
  'com.example.rota:/callback',
]

/** What differs stands between square brackets. */
const marked = (pieces: readonly Piece[]) => pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')

const cases: Array<[what: string, sent: string, sentMarked: string, registeredMarked: string, Difference[]]> = [
  [
    'a slash too many',
    'https://app.example.com/callback/',
    'https://app.example.com/callback[/]',
    'https://app.example.com/callback',
    ['slash-added'],
  ],
  [
    'a slash missing',
    'https://app.example.com/silent/renew',
    'https://app.example.com/silent/renew',
    'https://app.example.com/silent/renew[/]',
    ['slash-missing'],
  ],
  [
    'http instead of https',
    'http://app.example.com/callback',
    'http://app.example.com/callback',
    'http[s]://app.example.com/callback',
    ['scheme'],
  ],
  [
    'another port',
    'http://localhost:5173/callback',
    'http://localhost:[5173]/callback',
    'http://localhost:[3000]/callback',
    ['port'],
  ],
  ['no port', 'http://localhost/callback', 'http://localhost/callback', 'http://localhost[:3000]/callback', ['port']],
  [
    'letter case in the path',
    'https://app.example.com/Callback',
    'https://app.example.com/[C]allback',
    'https://app.example.com/[c]allback',
    ['letter-case'],
  ],
  [
    'www missing',
    'https://rota.example/oauth/return?tenant=5',
    'https://rota.example/oauth/return?tenant=5',
    'https://[www.]rota.example/oauth/return?tenant=5',
    ['www'],
  ],
  [
    'www too many',
    'https://www.app.example.com/callback',
    'https://[www.]app.example.com/callback',
    'https://app.example.com/callback',
    ['www'],
  ],
  [
    'a typing mistake in the path',
    'https://app.example.com/calback',
    'https://app.example.com/calback',
    'https://app.example.com/cal[l]back',
    ['path'],
  ],
  [
    'another host',
    'https://api.example.com/callback',
    'https://ap[i].example.com/callback',
    'https://ap[p].example.com/callback',
    ['host'],
  ],
  [
    'another query',
    'https://www.rota.example/oauth/return?tenant=…',
    'https://www.rota.example/oauth/return?tenant=[…]',
    'https://www.rota.example/oauth/return?tenant=[5]',
    ['query'],
  ],
  [
    'a fragment',
    'https://app.example.com/callback#…',
    'https://app.example.com/callback[#…]',
    'https://app.example.com/callback',
    ['fragment'],
  ],
  [
    'two things at once',
    'http://app.example.com/callback/',
    'http://app.example.com/callback[/]',
    'http[s]://app.example.com/callback',
    ['scheme', 'slash-added'],
  ],
  [
    'a private-use scheme',
    'com.example.rota://callback',
    'com.example.rota:/[/]callback',
    'com.example.rota:/callback',
    ['path'],
  ],
]

for (const [what, sent, sentMarked, registeredMarked, differences] of cases) {
  test(`the closest registered URI: ${what}`, () => {
    const closest = closestUri(sent, REGISTERED)
    assert.ok(closest)
    assert.equal(marked(closest.sent), sentMarked)
    assert.equal(marked(closest.registered), registeredMarked)
    assert.deepEqual(closest.differences, differences)
    assert.equal(closest.sent.map(({ text }) => text).join(''), sent)
    assert.equal(closest.registered.map(({ text }) => text).join(''), closest.uri)
  })
}

test('nothing is close to what is not like anything registered, or when nothing is registered', () => {
  assert.equal(closestUri('https://elsewhere.test/', REGISTERED), null)
  assert.equal(closestUri('https://app.example.com/callback', []), null)
  assert.equal(closestUri('', REGISTERED), null)
})

test('long and odd addresses are compared as they are, and soon', () => {
  const long = `https://app.example.com/${'x'.repeat(2_000)}`
  const many = Array.from({ length: 50 }, (_, n) => `https://app.example.com/${'y'.repeat(1_900 + n)}`)
  assert.equal(closestUri(long, many), null)
  const odd = closestUri('https://app.example/👩', ['https://app.example/👨'])
  assert.deepEqual(odd?.sent.at(-1), { text: '👩', differs: true })
})
