/** What came as text; undefined when it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A member of what came as JSON; undefined when there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(name)
}

export function textOf(value: unknown, name: string): string | null {
  const found = memberOf(value, name)
  return typeof found === 'string' ? found : null
}

export function numberOf(value: unknown, name: string): number | null {
  const found = memberOf(value, name)
  return typeof found === 'number' ? found : null
}

/** The items of a list; whatever is no list has none. */
export function itemsOf(value: unknown, name: string): unknown[] {
  const found = memberOf(value, name)
  return Array.isArray(found) ? found : []
}
