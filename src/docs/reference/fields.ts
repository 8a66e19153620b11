import { isJson, type Json, jsonAt, listAt, referredName, textAt } from './json.ts'

/** One field of an object, and the fields inside it. */
export type Field = {
  name: string
  type: ShownType
  required: boolean
  description: string
  limits: string[]
  inside: Field[]
}

/** Words, with the schema that they name where there is one. */
export type ShownType = { words: string; schema: string | null }

export function fieldsOf(schema: Json): Field[] {
  const required = listAt(schema, 'required')
  const own = Object.entries(jsonAt(schema, 'properties')).map(([name, said]): Field => {
    const field = jsonAt(said)
    return {
      name,
      type: typeOf(field),
      required: required.includes(name),
      description: textAt(field, 'description'),
      limits: limitsOf(field),
      inside: fieldsOf(field['type'] === 'array' ? jsonAt(field, 'items') : field),
    }
  })
  return [...listAt(schema, 'allOf').filter(isJson).flatMap(fieldsOf), ...own]
}

/** What an answer holds under `data`, when it holds nothing else but the way to the next page. */
export function envelopeOf(schema: Json): Json | null {
  const properties = jsonAt(schema, 'properties')
  const isOne = 'data' in properties && Object.keys(properties).every((name) => name === 'data' || name === 'next')
  const data = jsonAt(properties, 'data')
  return isOne && fieldsOf(data).length === 0 ? data : null
}

export function typeOf(schema: Json): ShownType {
  const name = referredName(schema)
  if (name !== null) return { words: name, schema: name }
  if ('const' in schema) return plain(JSON.stringify(schema['const']))
  const types = [schema['type']].flat().filter((each) => typeof each === 'string')
  if (types.includes('array')) {
    const item = typeOf(jsonAt(schema, 'items'))
    return { ...item, words: orNull(`array of ${item.words}`, types) }
  }
  const whole = listAt(schema, 'allOf').filter(isJson)[0]
  if (whole !== undefined) return typeOf(whole)
  const choices = listAt(schema, 'anyOf').filter(isJson).map(typeOf)
  if (choices.length > 0) return plain([...new Set(choices.map(({ words }) => words))].join(' or '))
  const [type = 'any value'] = types.filter((each) => each !== 'null')
  return plain(orNull(FORMATS[textAt(schema, 'format')] ?? type, types))
}

const FORMATS: Record<string, string> = { 'date-time': 'date and time', uri: 'URL', email: 'e-mail address' }

function orNull(words: string, types: readonly unknown[]): string {
  return types.includes('null') ? `${words} or null` : words
}

function plain(words: string): ShownType {
  return { words, schema: null }
}

/** What a value has to keep to, in words. */
export function limitsOf(schema: Json): string[] {
  const items = jsonAt(schema, 'items')
  const choices = listAt(schema, 'enum').concat(listAt(items, 'enum'))
  return [
    ...(choices.length > 0 ? [`one of ${choices.map(String).join(', ')}`] : []),
    ...range(schema['minLength'], schema['maxLength'], 'character'),
    ...range(schema['minItems'], schema['maxItems'], 'item'),
    ...(items['maxLength'] === undefined ? [] : [`each at most ${number(items['maxLength'])} characters`]),
    ...range(schema['minimum'], schema['maximum'], ''),
    ...(schema['uniqueItems'] === true ? ['none twice'] : []),
    ...('default' in schema ? [`${String(schema['default'])} if left out`] : []),
    ...(typeof schema['pattern'] === 'string' ? [`matches ${schema['pattern']}`] : []),
  ]
}

function range(least: unknown, most: unknown, what: string): string[] {
  const unit = (count: unknown) => (what === '' ? '' : ` ${what}${count === 1 ? '' : 's'}`)
  if (least !== undefined && most !== undefined) return [`${number(least)} to ${number(most)}${unit(most)}`]
  if (most !== undefined) return [`at most ${number(most)}${unit(most)}`]
  return least === undefined || least === 0 ? [] : [`at least ${number(least)}${unit(least)}`]
}

function number(value: unknown): string {
  return Number(value).toLocaleString('en-GB')
}
