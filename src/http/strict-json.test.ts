import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { findJsonFault } from './strict-json.ts'

const TWICE = 'is there twice; send it once'
const NOT_STORABLE = 'holds a NUL character or half of a surrogate pair'
const TOO_DEEP = 'is nested deeper than 64 levels'

describe('what readers take differently is found, with its place', () => {
  const cases: Array<[title: string, text: string, pointer: string, message: string]> = [
    ['a name twice', '{"a":1,"a":2}', '/a', TWICE],
    ['a name twice with others between', '{"a":1,"b":{"a":2},"c":[1,2],"a":3}', '/a', TWICE],
    ['a name twice, once with escapes', String.raw`{"url":1,"\u0075rl":2}`, '/url', TWICE],
    ['an empty name twice', '{"":1,"":2}', '/', TWICE],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '/__proto__', TWICE],
    ['a name twice, further inside', '{"a":[0,{"b":[{"c":1,"c":2}]}]}', '/a/1/b/0/c', TWICE],
    ['a name twice in an array of arrays', '[[],[{"x":1},{"y":1,"y":1}]]', '/1/1/y', TWICE],
    ['a name with a slash and a tilde, twice', '{"a/b~c":1,"a/b~c":2}', '/a~1b~0c', TWICE],
    ['a name twice after strings that look like structure', String.raw`{"a":"},{\"a\":","b":"[","a":1}`, '/a', TWICE],
    ['a name twice after a string that ends in a backslash', String.raw`{"a":"\\","a":1}`, '/a', TWICE],
    ['a name twice with white space around', '{ "a"\n:\t1 ,\r\n "a" : 2 }', '/a', TWICE],
    ['NUL as an escape', String.raw`{"a":"x\u0000y"}`, '/a', NOT_STORABLE],
    ['NUL in a name', String.raw`{"a":{"b\u0000":1}}`, '/a/b\0', NOT_STORABLE],
    ['NUL alone', String.raw`"\u0000"`, '', NOT_STORABLE],
    ['the first half of a pair', String.raw`["ok","\ud83d"]`, '/1', NOT_STORABLE],
    ['the second half of a pair', String.raw`{"a":["\ude00"]}`, '/a/0', NOT_STORABLE],
    ['the halves the wrong way round', String.raw`["\ude00\ud83d"]`, '/0', NOT_STORABLE],
    ['half a pair as it is', '["\ud83d"]', '/0', NOT_STORABLE],
    ['half a pair in a name', String.raw`{"\ud83d":1}`, '/\ud83d', NOT_STORABLE],
    ['arrays too deep', `${'['.repeat(65)}${']'.repeat(65)}`, '/0'.repeat(64), TOO_DEEP],
    ['objects too deep', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, '/a'.repeat(64), TOO_DEEP],
    ['too deep after what is not', `[[[]],1,${'['.repeat(64)}${']'.repeat(64)}]`, `/2${'/0'.repeat(63)}`, TOO_DEEP],
  ]
  for (const [title, text, pointer, message] of cases) {
    test(title, () => {
      assert.doesNotThrow(() => JSON.parse(text))
      assert.deepEqual(findJsonFault(text), { pointer, message })
    })
  }
})

describe('what means the same to everyone has no fault', () => {
  const cases: Array<[title: string, text: string]> = [
    ['the same name in different objects', '{"a":{"a":1},"b":{"a":[{"a":1},{"a":1}]}}'],
    ['a name that is also a value', '{"a":"a","b":"a"}'],
    ['names that differ in case or form', String.raw`{"a":1,"A":2,"\u00e9":3,"e\u0301":4}`],
    ['a whole pair, as escapes and as it is', String.raw`["\ud83d\ude00","😀"]`],
    ['an escaped backslash before u0000', String.raw`["\\u0000","\\\\u0000"]`],
    ['other control characters as escapes', String.raw`["\u0001\u001f\b\f\n\r\t\u007f"]`],
    ['exactly 64 levels', `${'['.repeat(64)}${']'.repeat(64)}`],
    ['many things side by side', `[${'[],{},'.repeat(1_000)}0]`],
    ['scalars alone', '-0.5e+10'],
    ['a string alone', '"}],{"'],
    ['empty things', '[{},[],"",{"":{}}]'],
  ]
  for (const [title, text] of cases) test(title, () => assert.equal(findJsonFault(text), null))
})

/** The same seed every time; a failure prints the smallest text that shows it. */
const RUNS = { seed: 20_260_101, numRuns: 2_000 }

test('any JSON that JSON.stringify writes, from values that can be stored, has no fault', () => {
  const value = fc.jsonValue({
    maxDepth: 8,
    stringUnit: fc.constantFrom(...'a " \\ / ~ { } [ ] : , é 😀 \n'.split(' ')),
  })
  const property = fc.property(value, fc.constantFrom(0, 1, '\t'), (each, space) => {
    assert.equal(findJsonFault(JSON.stringify(each, null, space)), null)
  })
  fc.assert(property, RUNS)
})

/** A JSON text that is yet to be written, with everything that JSON.parse lets through. */
type Node = { text: string } | { items: Node[] } | { fields: Array<[name: string, value: Node]> }

const literal = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      ' ',
      '{',
      ']',
      ',',
      ':',
      'é',
      '😀',
      '\\"',
      '\\\\',
      '\\/',
      '\\n',
      '\\u0061',
      '\\u0000',
      '\\ud83d',
      '\\ude00',
    ),
    {
      maxLength: 3,
    },
  )
  .map((pieces) => `"${pieces.join('')}"`)
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(literal, fc.constantFrom('0', '-1.5e+3', 'true', 'null')).map((text) => ({ text })),
    fc.array(tie('node'), { maxLength: 4 }).map((items) => ({ items })),
    fc.array(fc.tuple(literal, tie('node')), { maxLength: 4 }).map((fields) => ({ fields })),
  ),
}))

test('whatever JSON.parse reads: a fault is found if and only if there is one, and where it points to is there', () => {
  let faulty = 0
  const property = fc.property(node, fc.constantFrom('', ' ', '\n\t'), (each, space) => {
    const text = written(each, space)
    JSON.parse(text)
    const fault = findJsonFault(text)
    assert.equal(fault !== null, isFaulty(each), text)
    if (fault !== null) assert.ok(placesIn(each).includes(fault.pointer), `${fault.pointer} in ${text}`)
    faulty += Number(fault !== null)
  })
  fc.assert(property, RUNS)
  assert.ok(faulty > RUNS.numRuns / 10 && faulty < (RUNS.numRuns * 9) / 10, `${faulty} of ${RUNS.numRuns} had one`)
})

test('eight mebibytes take a moment, not minutes', () => {
  const text = `[${'{"a":"b\\n"},'.repeat(600_000)}0]`
  const began = performance.now()
  assert.equal(findJsonFault(text), null)
  assert.ok(performance.now() - began < 20_000)
})

function written(each: Node, space: string): string {
  if ('text' in each) return space + each.text
  if ('items' in each) return `${space}[${each.items.map((item) => written(item, space)).join(`${space},`)}${space}]`
  const fields = each.fields.map(([name, value]) => `${space}${name}${space}:${written(value, space)}`)
  return `${space}{${fields.join(`${space},`)}${space}}`
}

function isFaulty(each: Node): boolean {
  if ('text' in each) return !isStorable(JSON.parse(each.text))
  if ('items' in each) return each.items.some(isFaulty)
  const names = each.fields.map(([name]): unknown => JSON.parse(name))
  return (
    new Set(names).size < names.length ||
    names.some((name) => !isStorable(name)) ||
    each.fields.some(([, value]) => isFaulty(value))
  )
}

function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || !/\0|\p{Surrogate}/u.test(value)
}

/** Where everything stands that is written, also what a second field of the same name hides. */
function placesIn(each: Node, at = ''): string[] {
  if ('text' in each) return [at]
  if ('items' in each) return [at, ...each.items.flatMap((item, position) => placesIn(item, `${at}/${position}`))]
  return [
    at,
    ...each.fields.flatMap(([name, value]) => placesIn(value, `${at}/${JSON.parse(name).replaceAll('/', '~1')}`)),
  ]
}
