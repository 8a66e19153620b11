import * as fc from 'fast-check'
import { followed, type Json, jsonAt } from './openapi-document.ts'

/** Values that mean something to the service, by the name of the field they stand in: a schema cannot tell them. */
export type Known = Record<string, readonly unknown[]>

/** Small enough to be quick, large enough to have a first, a last and some between. */
const MOST_ITEMS = 4

/** Any value that a schema of the document allows, more often one that is known than one that is made up. */
export function valuesOf(document: Json, schema: unknown, known: Known = {}, name = ''): fc.Arbitrary<unknown> {
  const said = followed(document, schema)
  const inside = (inner: unknown, of: string) => valuesOf(document, inner, known, of)
  const made = byKeyword(said, inside, name)
  const meant = known[name]
  return meant === undefined || isArrayLike(said)
    ? made
    : fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...meant) }, { weight: 1, arbitrary: made })
}

type Inside = (schema: unknown, name: string) => fc.Arbitrary<unknown>

function byKeyword(said: Json, inside: Inside, name: string): fc.Arbitrary<unknown> {
  const { const: only, enum: values, anyOf, type } = said
  if ('const' in said) return fc.constant(only)
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((each) => inside(each, name)))
  if (Array.isArray(type)) return fc.oneof(...type.map((each) => byType(String(each), said, inside, name)))
  return byType(String(type), said, inside, name)
}

function byType(type: string, said: Json, inside: Inside, name: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objects(said, inside)
    case 'array':
      return arrays(said, inside, name)
    case 'string':
      return strings(said)
    case 'integer':
      return fc.integer({ min: numberIn(said, 'minimum', -1_000), max: numberIn(said, 'maximum', 1_000_000) })
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function objects(said: Json, inside: Inside): fc.Arbitrary<unknown> {
  const properties = jsonAt(said, 'properties')
  const required = Array.isArray(said['required']) ? said['required'].map(String) : []
  const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, inside(inner, name)]))
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true })
}

function arrays(said: Json, inside: Inside, name: string): fc.Arbitrary<unknown> {
  const minLength = numberIn(said, 'minItems', 0)
  const maxLength = Math.min(numberIn(said, 'maxItems', MOST_ITEMS), Math.max(MOST_ITEMS, minLength))
  const items = inside(said['items'], name)
  if (said['uniqueItems'] !== true) return fc.array(items, { minLength, maxLength })
  return fc.uniqueArray(items, { minLength, maxLength, comparator: (one, other) => Object.is(one, other) })
}

const moments = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })

function strings(said: Json): fc.Arbitrary<string> {
  const { pattern, format } = said
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  if (format === 'date-time') return moments.map((date) => date.toISOString())
  const minLength = numberIn(said, 'minLength', 0)
  const maxLength = Math.min(numberIn(said, 'maxLength', 40), Math.max(40, minLength))
  return fc.string({ minLength, maxLength, unit: 'grapheme' })
}

function isArrayLike({ type }: Json): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}

function numberIn(said: Json, name: string, otherwise: number): number {
  const value = said[name]
  return typeof value === 'number' ? value : otherwise
}
