import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'
import { findJsonFault } from './strict-json.ts'

/** A body as it was read, and the very text of it for whoever has to pass a part on unchanged. */
export type JsonBody = { value: unknown; text: string }

/** Keeps a byte order mark where it is. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * This door takes JSON and nothing else; another Content-Type is 415. An empty body is `undefined`. A door that takes larger
 * bodies than others says how large.
 */
export function takeJsonOnly(app: FastifyInstance, bodyLimit?: number): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const, ...(bodyLimit !== undefined && { bodyLimit }) }
  app.addContentTypeParser('application/json', options, async (_: unknown, bytes: Buffer) => readJson(bytes))
}

function readJson(bytes: Buffer): JsonBody | undefined {
  if (bytes.length === 0) return undefined
  const text = textOf(bytes)
  // RFC 8259 8.1 forbids to send it; the parser would only say that this is not JSON.
  if (text.startsWith('\ufeff')) throw malformed('The request body begins with a byte order mark; leave it out.')
  const value = parse(text)
  const fault = findJsonFault(text)
  if (fault !== null) throw malformed(`What is at "${fault.pointer}" ${fault.message}.`)
  return { value, text }
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('The request body is not valid UTF-8.')
  }
}

/** The parser's own message quotes the body, which can carry secrets. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('The request body is not valid JSON.')
  }
}

function malformed(detail: string): Problem {
  return new Problem(400, 'malformed_json', 'Malformed JSON', detail)
}
