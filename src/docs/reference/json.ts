/** An OpenAPI document, read as what it is: JSON that says where to look on. */
export type Json = Record<string, unknown>

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member that is an object; an empty one when there is none. */
export function jsonAt(value: unknown, ...names: string[]): Json {
  const found = names.reduce<unknown>((inside, name) => (isJson(inside) ? inside[name] : undefined), value)
  return isJson(found) ? found : {}
}

export function textAt(value: Json, name: string): string {
  const found = value[name]
  return typeof found === 'string' ? found : ''
}

export function listAt(value: Json, name: string): unknown[] {
  const found: unknown = value[name]
  return Array.isArray(found) ? found : []
}

/** The name behind `#/components/schemas/…`, where a schema is only referred to. */
export function referredName(schema: Json): string | null {
  const { $ref } = schema
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null
}

/** What a `$ref` of the document points to; anything else is itself. */
export function followed(document: Json, value: unknown): Json {
  if (!isJson(value)) return {}
  const { $ref } = value
  return typeof $ref === 'string' ? followed(document, jsonAt(document, ...$ref.split('/').slice(1))) : value
}
