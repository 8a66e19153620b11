/**
 * `uniqueItems` is ours to check: the validator names duplicates in time that grows by the square of them, eight seconds
 * for a body of 64 KiB. Followed through `properties` and `items`, where our schemas have arrays.
 */

type Schema = Record<string, unknown>

/** Of one array; more than anyone reads. */
const MOST_TOLD = 100

/** The same schema, with nothing said of uniqueness. */
export function withoutUniqueItems(schema: object): Schema {
  const { uniqueItems: _, ...rest }: Schema = { ...schema }
  const { properties, items } = rest
  return {
    ...rest,
    ...(isSchema(properties) && { properties: eachOf(properties, withoutUniqueItems) }),
    ...(isSchema(items) && { items: withoutUniqueItems(items) }),
  }
}

/** Where a value stands that stands before it in the same array already, as JSON pointers. */
export function duplicatesIn(schema: object, value: unknown, at = ''): string[] {
  const { uniqueItems, properties, items }: Schema = { ...schema }
  if (Array.isArray(value)) {
    const here = uniqueItems === true ? repeated(value).map((position) => `${at}/${position}`) : []
    const inside =
      isSchema(items) && canHoldArrays(items)
        ? value.flatMap((each, position) => duplicatesIn(items, each, `${at}/${position}`))
        : []
    return [...here, ...inside]
  }
  if (!isSchema(properties) || !isSchema(value)) return []
  return Object.entries(properties).flatMap(([name, inner]) =>
    isSchema(inner) && Object.hasOwn(value, name) ? duplicatesIn(inner, value[name], `${at}/${name}`) : [],
  )
}

function canHoldArrays(schema: Schema): boolean {
  return 'properties' in schema || 'items' in schema
}

function repeated(values: readonly unknown[]): number[] {
  const seen = new Set<string>()
  const positions: number[] = []
  for (const [position, value] of values.entries()) {
    const text = JSON.stringify(value)
    if (seen.has(text)) positions.push(position)
    seen.add(text)
    if (positions.length === MOST_TOLD) break
  }
  return positions
}

function eachOf(schemas: Schema, change: (schema: object) => object): Schema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isSchema(schema) ? change(schema) : schema]),
  )
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
