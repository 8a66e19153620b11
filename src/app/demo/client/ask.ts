import { type ClientRequest, encoded } from './request.ts'

/** What the identity server answered. `fields` are those of a JSON object, empty for anything else. */
export type Answer = { status: number; text: string; fields: Readonly<Record<string, unknown>> }

const PATIENCE_MS = 10_000

/** Over HTTP, as any client; null when nobody answers. */
export async function ask({ method, url, headers, parameters }: ClientRequest): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { accept: 'application/json', ...Object.fromEntries(headers.map(({ name, value }) => [name, value])) },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(method === 'POST' && { body: new URLSearchParams(encoded(parameters)) }),
    })
    const text = await response.text()
    return { status: response.status, text, fields: objectIn(text) }
  } catch {
    return null
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

/** A text among the fields, or null. */
export function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : null
}
