import { withoutEnd } from './without-end.ts'

/** The headers of Standard Webhooks (decision D3). */
export const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

export type SignedHeader = (typeof SIGNED_HEADERS)[number]

/** Every value of each header, in the order they came. */
export type PastedHeaders = Record<SignedHeader, string[]>

/**
 * Headers as people have them at hand: a line each, from a log, from `curl -v` with its arrows, or as JSON. Whatever else is
 * pasted is passed over.
 */
export function readPastedHeaders(text: string): PastedHeaders {
  const found: PastedHeaders = { 'webhook-id': [], 'webhook-timestamp': [], 'webhook-signature': [] }
  for (const line of text.split(/[\r\n]+/)) {
    // The rest of the line whatever is in it: a pattern that could fail behind spaces would try each of them in turn.
    const [, name = '', value = ''] = /^[\s<>*{,]*["']?([A-Za-z-]+)["']?\s*[:=](.*)$/s.exec(line) ?? []
    const header = SIGNED_HEADERS.find((each) => each === name.toLowerCase())
    if (header !== undefined) found[header].push(bare(value))
  }
  return found
}

/** Without the quotes, brackets and commas that JSON and logs put around a value. */
function bare(value: string): string {
  const trimmed = withoutEnd(value.trim(), ',}]')
  return /^\[?\s*(["'])(.*)\1\s*$/.exec(trimmed)?.[2] ?? trimmed.trim()
}
