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

/** Finds where a value stands that stands before it in the same array already, as JSON pointers. */
export function duplicateFinder(schema: object): (value: unknown) => string[] {
  const find = finderFor(schema)
  return (value) => find?.(value, '') ?? []
}

type Finder = (value: unknown, at: string) => string[]

/** The schema is gone through once and not for every body; null where nothing in it has to be unique. */
function finderFor(schema: object): Finder | null {
  const { uniqueItems, properties, items }: Schema = { ...schema }
  const inItems = isSchema(items) ? finderFor(items) : null
  const inProperties = Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, inner]) => {
    const find = isSchema(inner) ? finderFor(inner) : null
    return find === null ? [] : [{ name, find }]
  })
  if (uniqueItems !== true && inItems === null && inProperties.length === 0) return null
  return (value, at) => {
    if (Array.isArray(value)) {
      const here = uniqueItems === true ? repeated(value).map((position) => `${at}/${position}`) : []
      const inside = inItems ? value.flatMap((each, position) => inItems(each, `${at}/${position}`)) : []
      return [...here, ...inside]
    }
    if (!isSchema(value)) return []
    return inProperties.flatMap(({ name, find }) =>
      Object.hasOwn(value, name) ? find(value[name], `${at}/${name}`) : [],
    )
  }
}

function repeated(values: readonly unknown[]): number[] {
  if (values.length < 2) return []
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
