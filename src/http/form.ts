import type { FastifyInstance } from 'fastify'

/** The parameters of a form or query, each at most once; one that is empty counts as absent (RFC 6749 3.1). */
export type Form = { get: (name: string) => string | null; has: (name: string) => boolean; names: () => string[] }

/** A form with a repeated parameter is still a form: who is to be told of the mistake may stand in it. */
export type FormOutcome = { kind: 'form'; form: Form; repeated: readonly string[] } | { kind: 'malformed' }

/** Strict where URLSearchParams is lenient: bad percent-encoding, bytes that are not UTF-8 and NUL are refused, not mended. */
export function parseForm(text: string): FormOutcome {
  const values = new Map<string, string>()
  const repeated: string[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1))
    if (name === null || value === null) return { kind: 'malformed' }
    if (values.has(name)) repeated.push(name)
    else values.set(name, value)
  }
  const get = (name: string) => values.get(name) || null
  const form: Form = { get, has: (name) => get(name) !== null, names: () => [...values.keys()] }
  return { kind: 'form', form, repeated }
}

/** One name or value of application/x-www-form-urlencoded, or null when it is not. That encoding is ASCII only. */
export function decode(text: string): string | null {
  if (/^[\w.~-]*$/.test(text)) return text
  if (/[\u0080-\uffff]/.test(text)) return null
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}

/** The door takes forms and nothing else; the body stays text until a route reads it. */
export function takeFormsOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    // latin1 keeps every byte apart; bytes that are not ASCII have no place in this encoding and are refused above.
    (_: unknown, body: Buffer, done: (error: null, text: string) => void) => done(null, body.toString('latin1')),
  )
}
