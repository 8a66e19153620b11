export type Field = readonly [name: string, value: string]

/** Percent-encoding only, no plus signs: whoever decodes a fragment by hand gets the value back unchanged. */
export function encodeFields(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
}
