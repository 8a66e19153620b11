import * as fc from 'fast-check'
import type { DescribedOperation, DescribedParameter, Json } from './openapi-document.ts'
import { type Known, valuesOf } from './schema-values.ts'
import { broken, spoilt } from './spoilt-bodies.ts'

/** A request that is yet to be sent. Where the path is null something stands that exists by then; who sends it has a name. */
export type Sketch = {
  sender: string
  path: Array<string | null>
  /** Which of the things that exist. */
  which: number
  query: string
  headers: Record<string, string | string[]>
  body: string | Uint8Array | null
}

export type Making = {
  document: Json
  known: Known
  /** Those who may send it, and far more seldom others. */
  senders: { good: readonly string[]; odd: readonly string[] }
}

const often = 12
const seldom = 1

export function requestsFor(operation: DescribedOperation, making: Making): fc.Arbitrary<Sketch> {
  return fc
    .record({
      path: fc.tuple(...operation.path.split(/(\{\w+\})/).map(pathPart)),
      query: queries(operation, making),
      headers: headersOf(operation),
      which: fc.nat(),
      sender: fc.oneof(
        { weight: 40, arbitrary: fc.constantFrom(...making.senders.good) },
        { weight: seldom, arbitrary: fc.constantFrom(...making.senders.odd) },
      ),
      sent: bodies(operation, making),
    })
    .map(({ headers, sent: { body, type }, ...rest }) => ({
      ...rest,
      headers: { ...headers, ...(type !== null && { 'content-type': type }) },
      body,
    }))
}

const longId = 'a'.repeat(300)
const oddId = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '%00',
      'whk_%00',
      'x%00y',
      '%',
      '%zz',
      '%ff',
      '%ed%a0%80',
      '%2F',
      '%2e%2e',
      '..',
      '.',
      '%20',
      '%F0%9F%98%80',
      'x',
      '0',
      '*',
      '(',
      ':',
      "'",
      'whk_',
      `whk_${'0'.repeat(32)}`,
      '__proto__',
      longId.slice(0, 256),
      longId,
    ),
  },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).map(encodeURIComponent) },
)

function pathPart(part: string): fc.Arbitrary<string | null> {
  if (!part.startsWith('{')) return fc.constant(part)
  return fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: oddId })
}

const oddText = fc.oneof(
  fc.constantFrom(
    '',
    '%20',
    '%',
    '%zz',
    '%00',
    '+',
    '0',
    '-1',
    '1e1',
    '00',
    '101',
    '%D9%A1',
    '9'.repeat(30),
    'null',
    'a=b',
  ),
  fc.string({ maxLength: 30, unit: 'binary-ascii' }).map(encodeURIComponent),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
)

function queries({ parameters }: DescribedOperation, { document, known }: Making): fc.Arbitrary<string> {
  const asked = parameters.filter(({ place }) => place === 'query').map((each) => queryPair(document, known, each))
  const oddPair = fc.tuple(oddText, oddText).map(([name, value]) => `${name}=${value}`)
  const some = fc.array(fc.oneof(...asked, { weight: seldom, arbitrary: oddPair }), { maxLength: 3 })
  const none = { weight: asked.length > 0 ? 2 : often, arbitrary: fc.constant('') }
  return fc.oneof(none, { weight: asked.length > 0 ? often : seldom, arbitrary: some.map((pairs) => pairs.join('&')) })
}

function queryPair(document: Json, known: Known, { name, schema }: DescribedParameter) {
  const good = valuesOf(document, schema, known, name).map((value) => encodeURIComponent(String(value)))
  const value = fc.oneof({ weight: 2, arbitrary: good }, { weight: 1, arbitrary: oddText })
  return { weight: 4, arbitrary: value.map((each) => `${name}=${each}`) }
}

const latin = fc.string({
  unit: fc.integer({ min: 0xa1, max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
})

/** Few good ones, so that they come again; what a header can carry, and some that it should not. */
const headerValue: fc.Arbitrary<string | string[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', '*', '"1.0"') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('"2.0", "1.2"', 'W/"1.2"', '', ' ', ',', '"', 'é', 'x'.repeat(255), 'x'.repeat(256)),
  },
  { weight: 1, arbitrary: fc.constantFrom<string[][]>(['a', 'b'], ['*', '"1"']) },
  { weight: 1, arbitrary: latin },
)

function headersOf({ parameters }: DescribedOperation): fc.Arbitrary<Record<string, string | string[]>> {
  const own = parameters.filter(({ place }) => place === 'header').map(({ name }) => name)
  const names = fc.constantFrom(...own, ...own, 'accept', 'x-request-id', 'content-encoding')
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.array(fc.tuple(names, headerValue), { maxLength: 3 }).map(Object.fromEntries) },
  )
}

const JSON_TYPE = 'application/json'
const oddType = fc.constantFrom(
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'application/problem+json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'json',
  ';',
  '/',
  '',
  null,
)

type Sent = { body: string | Uint8Array | null; type: string | null }

function asJson(text: string | Uint8Array): Sent {
  return { body: text, type: JSON_TYPE }
}

function bodies({ body, method }: DescribedOperation, { document, known }: Making): fc.Arbitrary<Sent> {
  const none: Sent = { body: null, type: null }
  if (body === null) {
    const unasked = fc.oneof(
      spoilt(fc.constant({})).map((value) => asJson(JSON.stringify(value))),
      broken(fc.constant({})).map(asJson),
    )
    if (method === 'GET') return fc.constant(none)
    return fc.oneof({ weight: often, arbitrary: fc.constant(none) }, { weight: seldom, arbitrary: unasked })
  }
  const good = fc.oneof(valuesOf(document, body.schema, known), fc.constantFrom(...body.examples))
  const text = good.map((value) => JSON.stringify(value))
  return fc.oneof(
    { weight: 12, arbitrary: text.map(asJson) },
    { weight: 6, arbitrary: spoilt(good).map((value) => asJson(JSON.stringify(value))) },
    { weight: 3, arbitrary: broken(good).map(asJson) },
    { weight: 1, arbitrary: fc.tuple(text, oddType).map(([each, type]) => ({ body: each, type })) },
    { weight: 1, arbitrary: text.map((each) => asJson(`${each}${' '.repeat(70_000)}`)) },
    { weight: 1, arbitrary: fc.constant(none) },
  )
}
