import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { fieldReader, wrongFields } from './read-fields.ts'

type Fields = { name?: string; age?: number; tags?: string[]; kind?: string; inner?: object; maybe?: string[] | null }

const strict = { additionalProperties: false }
const Schema = Type.Object(
  {
    name: Type.String({ minLength: 2, maxLength: 5 }),
    age: Type.Optional(Type.Integer({ minimum: 1, maximum: 120 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 3, uniqueItems: true })),
    kind: Type.Optional(Type.Enum(['a', 'b'], { type: 'string' })),
    code: Type.Optional(Type.String({ pattern: '^[a-z]$' })),
    inner: Type.Optional(
      Type.Object({ list: Type.Array(Type.Object({ id: Type.String() }, strict), { uniqueItems: true }) }, strict),
    ),
    maybe: Type.Optional(
      Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' }, uniqueItems: true }),
    ),
  },
  strict,
)
const read = fieldReader<Fields>(Schema)

/** `pointer code: message`, sorted. */
function faultsOf(raw: unknown): string[] {
  return read(raw)
    .faults.map(({ pointer, code, message }) => `${pointer} ${code}: ${message}`)
    .toSorted()
}

describe('each keyword has its place, its code and what to do', () => {
  const name = 'Ann'
  const cases: Array<[title: string, raw: unknown, ...faults: string[]]> = [
    ['required', {}, '/name required: is required.'],
    [
      'additionalProperties',
      { name, nam: 1 },
      '/nam unknown_field: is not a field of this operation. Check its spelling.',
    ],
    [
      'additionalProperties with a name that a pointer has to escape',
      { name, 'a/b~': 1 },
      '/a~1b~0 unknown_field: is not a field of this operation. Check its spelling.',
    ],
    [
      'additionalProperties named __proto__',
      JSON.parse('{"name":"Ann","__proto__":{"age":1}}'),
      '/__proto__ unknown_field: is not a field of this operation. Check its spelling.',
    ],
    ['type', { name: 1 }, '/name wrong_type: must be a string.'],
    ['type, of an integer', { name, age: 1.5 }, '/age wrong_type: must be an integer.'],
    ['type, one of two', { name, maybe: 'x' }, '/maybe wrong_type: must be an array or null.'],
    ['type, of the whole', [], ' wrong_type: must be an object.'],
    ['type, of nothing', null, ' wrong_type: must be an object.'],
    ['enum', { name, kind: 'c' }, '/kind unknown_value: must be one of: a, b.'],
    ['a keyword without words of its own', { name, code: 'A' }, '/code malformed: must match pattern "^[a-z]$".'],
    ['minLength', { name: 'A' }, '/name too_short: must have at least 2 characters.'],
    ['minLength of one', { name, tags: [''] }, '/tags/0 too_short: must have at least 1 character.'],
    ['maxLength', { name: 'Annabel' }, '/name too_long: must have at most 5 characters.'],
    ['minItems', { name, tags: [] }, '/tags too_few: must have at least 1 value.'],
    ['maxItems', { name, tags: ['a', 'b', 'c', 'd'] }, '/tags too_many: must have at most 3 values.'],
    ['uniqueItems', { name, tags: ['a', 'b', 'a'] }, '/tags/2 duplicate: is there already; name it once.'],
    [
      'uniqueItems, inside an array that may be null',
      { name, maybe: ['a', 'a'] },
      '/maybe/1 duplicate: is there already; name it once.',
    ],
    [
      'uniqueItems, of objects further inside',
      { name, inner: { list: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] } },
      '/inner/list/2 duplicate: is there already; name it once.',
    ],
    ['minimum', { name, age: 0 }, '/age out_of_range: must be >= 1.'],
    ['maximum', { name, age: 121 }, '/age out_of_range: must be <= 120.'],
    ['required, further inside', { name, inner: { list: [{}] } }, '/inner/list/0/id required: is required.'],
  ]
  for (const [title, raw, ...faults] of cases) test(title, () => assert.deepEqual(faultsOf(raw), faults))
})

test('several wrong fields are all told at once', () => {
  assert.deepEqual(faultsOf({ age: 'x', tags: ['', 'a', 'a'], kind: 'c', colour: 1 }), [
    '/age wrong_type: must be an integer.',
    '/colour unknown_field: is not a field of this operation. Check its spelling.',
    '/kind unknown_value: must be one of: a, b.',
    '/name required: is required.',
    '/tags/0 too_short: must have at least 1 character.',
    '/tags/2 duplicate: is there already; name it once.',
  ])
})

test('the sound fields are those that are right, as they came', () => {
  assert.deepEqual(read({ name: 'Ann', age: 1 }), { sound: { name: 'Ann', age: 1 }, faults: [] })
  assert.deepEqual(read({ name: 'Ann', age: 'x', kind: 'a' }).sound, { name: 'Ann', kind: 'a' })
  assert.deepEqual(read({ name: 'Ann', tags: ['a', 'a'], colour: 1 }).sound, { name: 'Ann' })
  assert.deepEqual(read({ kind: 'a' }).sound, { kind: 'a' })
  assert.deepEqual(read({ name: 'Ann', maybe: null }).sound, { name: 'Ann', maybe: null })
  for (const raw of [null, [], 'x', 1, undefined]) assert.deepEqual(read(raw).sound, {})
})

test('a field named __proto__ changes no prototype', () => {
  const { sound } = read(JSON.parse('{"name":"Ann","__proto__":{"age":1}}'))
  assert.equal(Object.getPrototypeOf(sound), Object.prototype)
  assert.equal(sound.age, undefined)
})

describe('very many faults are told up to a number that a person can read, and quickly', () => {
  const many = 30_000
  const cases: Array<[title: string, raw: unknown]> = [
    ['the same wrong value again and again', { name: 'Ann', tags: Array.from({ length: many }, () => 0) }],
    ['the same right value again and again', { name: 'Ann', tags: Array.from({ length: many }, () => 'a') }],
    ['different wrong values', { name: 'Ann', tags: Array.from({ length: many }, (_, number) => number) }],
    ['unknown fields', Object.fromEntries(Array.from({ length: many }, (_, number) => [`f${number}`, 0]))],
  ]
  for (const [title, raw] of cases) {
    test(title, () => {
      // The time that it computes: a machine that is busy with others may leave it waiting for as long as it likes.
      const began = process.cpuUsage()
      const { faults } = read(raw)
      const { errors, detail } = wrongFields(faults)
      const { user, system } = process.cpuUsage(began)
      // A tenth of it is usual; the validator's own way to name duplicates took eight seconds.
      assert.ok(user + system < 2_000_000, `${user + system} µs`)
      assert.equal(errors.length, 100)
      assert.match(detail, /And \d+ more, see errors\.$/)
    })
  }

  test('and what is wrong beside them is not taken for sound', () => {
    const { sound } = read({ tags: Array.from({ length: many }, () => 0), name: 1, kind: 'a' })
    assert.equal(sound.name, undefined)
    assert.equal(sound.tags, undefined)
  })
})

test('what is answered names the first fault, and counts the others', () => {
  const one = { pointer: '/url', code: 'required', message: 'is required.' }
  assert.equal(wrongFields([one]).detail, '/url: is required.')
  assert.equal(wrongFields([one, one, one]).detail, '/url: is required. And 2 more, see errors.')
  assert.equal(wrongFields([{ ...one, pointer: '' }]).detail, 'The body: is required.')
  const { status, code } = wrongFields([one])
  assert.deepEqual([status, code], [422, 'wrong_fields'])
})
