import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, parseForm } from './form.ts'

const decoded: Array<[string, string | null]> = [
  ['', ''],
  ['plain', 'plain'],
  ['a+b', 'a b'],
  ['a%2Bb', 'a+b'],
  ['%C3%A9', 'é'],
  ['%f0%9f%98%80', '😀'],
  ['%20%26%3D', ' &='],
  ['%00', null],
  ['a\0b', null],
  ['%', null],
  ['%z', null],
  ['%zz', null],
  ['%ff', null],
  ['%c3%28', null],
  ['%ed%a0%80', null],
  ['%e2%82', null],
  ['é', null],
  ['\u00ff', null],
  ['\u{1f600}', null],
]
for (const [text, expected] of decoded) {
  test(`${JSON.stringify(text)} is ${JSON.stringify(expected)}`, () => assert.equal(decode(text), expected))
}

function read(text: string, name: string): string | null {
  const outcome = parseForm(text)
  assert.equal(outcome.kind, 'form')
  return outcome.kind === 'form' ? outcome.form.get(name) : null
}

const values: Array<[string, string | null]> = [
  ['a=1', '1'],
  ['a=1&b=2', '1'],
  ['b=2&a=1', '1'],
  ['&&a=1&&', '1'],
  ['a=1=2', '1=2'],
  ['%61=1', '1'],
  ['a=', null],
  ['a', null],
  ['', null],
  ['A=1', null],
  ['b=1', null],
]
for (const [text, value] of values) {
  test(`a in "${text}" is ${value}`, () => assert.equal(read(text, 'a'), value))
}

test('has means: there and not empty', () => {
  const outcome = parseForm('a=1&b=&c')
  assert.ok(outcome.kind === 'form')
  assert.deepEqual(['a', 'b', 'c', 'd'].map(outcome.form.has), [true, false, false, false])
})

test('names of objects in JavaScript are names like any other', () => {
  assert.equal(read('a=1', '__proto__'), null)
  assert.equal(read('a=1', 'constructor'), null)
  assert.equal(read('__proto__=x', '__proto__'), 'x')
})

for (const text of ['a=%zz', '%00=1', 'a=1&b=%ff', 'a=\u00e9']) {
  test(`"${text}" is malformed`, () => assert.deepEqual(parseForm(text), { kind: 'malformed' }))
}

const repeated: Array<[string, string[]]> = [
  ['a=1&b=2', []],
  ['a=1&a=1', ['a']],
  ['a=&a=', ['a']],
  ['a=1&%61=2', ['a']],
  ['a=1&A=1', []],
  ['=1&=2', ['']],
]
for (const [text, names] of repeated) {
  test(`"${text}" repeats ${names.join() || 'nothing'}`, () => {
    const outcome = parseForm(text)
    assert.ok(outcome.kind === 'form')
    assert.deepEqual(outcome.repeated, names)
  })
}
