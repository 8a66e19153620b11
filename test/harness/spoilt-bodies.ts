import * as fc from 'fast-check'
import { isJson } from './openapi-document.ts'

/** Bodies that are not what an operation takes, made from ones that are. */

const LONE_SURROGATE = '\ud800'

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    0,
    -1,
    0.5,
    2 ** 53,
    1e308,
    '',
    ' ',
    'x',
    '\0',
    LONE_SURROGATE,
    'a'.repeat(5_000),
    [],
    {},
    [[]],
    [null],
    ['', ''],
    nested(70),
    withField({}, '__proto__', { admin: true }),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
)

const oddName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  '',
  'a/b',
  'a~1b~0',
  'Url',
  'id',
  'clientId',
  '0',
)

type Change = (old: unknown) => unknown

const GONE = Symbol('gone')

/** What is done to one place of a value. */
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: odd.map(
      (value): Change =>
        () =>
          value,
    ),
  },
  { weight: 2, arbitrary: fc.constant<Change>(() => GONE) },
  {
    weight: 3,
    arbitrary: fc.tuple(oddName, odd).map(
      ([name, value]): Change =>
        (old) =>
          isJson(old) ? withField(old, name, value) : [old, value],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(2, 3, 12, 1_001, 10_000).map(
      (times): Change =>
        (old) =>
          Array.from({ length: times }, () => (Array.isArray(old) ? (old[0] ?? 0) : old)),
    ),
  },
)

/** One to three places of a good value, changed. */
export function spoilt(good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(good, fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce((now, [where, what]) => changedSomewhere(now, where, what), value))
}

function changedSomewhere(value: unknown, where: number, what: Change): unknown {
  const places = placesIn(value)
  const changed = changedAt(value, places[where % places.length] ?? [], what)
  return changed === GONE ? null : changed
}

function changedAt(value: unknown, [name, ...rest]: readonly string[], what: Change): unknown {
  if (name === undefined) return what(value)
  if (!isJson(value) && !Array.isArray(value)) return value
  const entries = Object.entries(value)
    .map(([each, inside]): [string, unknown] => [each, each === name ? changedAt(inside, rest, what) : inside])
    .filter(([, inside]) => inside !== GONE)
  return Array.isArray(value) ? entries.map(([, inside]) => inside) : Object.fromEntries(entries)
}

/** Where everything in a value stands, the value itself included; of long arrays the beginning. */
function placesIn(value: unknown, at: readonly string[] = []): Array<readonly string[]> {
  const inside = at.length < 4 && (isJson(value) || Array.isArray(value)) ? Object.entries(value).slice(0, 20) : []
  return [at, ...inside.flatMap(([name, each]) => placesIn(each, [...at, name]))]
}

/** Also one that is called `__proto__`. */
function withField(value: object, name: string, field: unknown): object {
  return Object.fromEntries([...Object.entries(value), [name, field]])
}

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)]
}

const bytes = (...values: number[]) => Uint8Array.from(values)

/** What is not JSON, or JSON that readers take differently, made from the text of a good body. */
export function broken(good: fc.Arbitrary<unknown>): fc.Arbitrary<string | Uint8Array> {
  const text = good.map((value) => JSON.stringify(value))
  return fc.oneof(
    fc.tuple(text, fc.nat()).map(([whole, at]) => whole.slice(0, at % Math.max(1, whole.length))),
    fc
      .tuple(text, fc.nat(), fc.constantFrom('"', '{', '}', '[', ',', ':', '\\', '\u0000', '\u2028', 'é', '0', 'x'))
      .map(([whole, at, inserted]) => {
        const place = at % (whole.length + 1)
        return whole.slice(0, place) + inserted + whole.slice(place)
      }),
    text.map((whole) => whole.replace('{', '{"url":"https://a.example","url":"https://b.example",')),
    text.map((whole) => `${whole}${whole}`),
    text.map((whole) => `\ufeff${whole}`),
    text.map((whole) => whole.replace('"', '"\\ud800')),
    text.map((whole) => Buffer.from(whole, 'utf16le')),
    text.map((whole) => Buffer.concat([Buffer.from(whole.slice(0, -1)), bytes(0xff, 0x7d)])),
    fc.constantFrom(
      '',
      ' ',
      'null',
      'true',
      '""',
      '0',
      '[]',
      '{}',
      '{"url":NaN}',
      '{url:1}',
      '// x',
      '[1e999]',
      '[-0]',
    ),
    fc.constantFrom(
      '['.repeat(5_000),
      `${'['.repeat(200)}${']'.repeat(200)}`,
      `${'{"a":'.repeat(80)}1${'}'.repeat(80)}`,
    ),
    fc.uint8Array({ maxLength: 60 }),
  )
}
