import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readForwardTo, readSpan, usualName } from './forward-to.ts'

test('an address without a scheme is http', () => {
  for (const [text, href] of [
    ['localhost:3000/hooks', 'http://localhost:3000/hooks'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['[::1]:3000/a?b=c', 'http://[::1]:3000/a?b=c'],
    ['https://localhost/hooks', 'https://localhost/hooks'],
  ] as const)
    assert.equal(readForwardTo(text).href, href)
})

test('what is no such address is refused', () => {
  for (const text of [
    '',
    'ftp://localhost',
    'http://',
    'localhost:99999',
    'me:secret@localhost',
    'localhost/#a',
    `localhost/${'a'.repeat(2_048)}`,
    undefined,
  ])
    assert.throws(() => readForwardTo(text), /--forward-to/)
})

test('a computer’s name is made safe', () => {
  for (const [name, safe] of [
    ['Anns-MacBook.local', 'anns-macbook'],
    ['Ann’s Büro', 'ann-s-b-ro'],
    ['--', 'listener'],
    ['', 'listener'],
    ['x'.repeat(100), 'x'.repeat(63)],
  ] as const)
    assert.equal(usualName(name), safe)
})

test('spans of time', () => {
  assert.deepEqual(
    [readSpan('30', ''), readSpan('30s', ''), readSpan('5m', ''), readSpan('1h', '')],
    [30, 30, 300, 3_600],
  )
  for (const text of ['', '0', '-1', '5 m', '1d', 'soon', '1e3'])
    assert.throws(() => readSpan(text, '--x'), /--x takes/)
})
