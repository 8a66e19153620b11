import { createHmac } from 'node:crypto'
import { withoutEnd } from './without-end.ts'

// The ways in which a signature can be computed: the right one, and those that people take by mistake. Each way differs from
// the right one in what is read as the key, as the body, and in how the three parts are put together.

export type KeyWay = 'right' | 'as-text' | 'as-text-without-prefix' | 'decoded' | 'trimmed'

export type BodyWay =
  | 'right'
  | 'line-break-added'
  | 'line-break-missing'
  | 'spaces-around'
  | 'written-again'
  | 'written-again-indented'
  | 'keys-in-another-order'

export type LayoutWay =
  | 'right'
  | 'timestamp-first'
  | 'without-dots'
  | 'without-id'
  | 'without-timestamp'
  | 'body-alone'
  | 'body-first'

const ENCODINGS = ['base64', 'unpadded', 'base64url', 'hex'] as const

export type Encoding = (typeof ENCODINGS)[number]

export type Way = { key: KeyWay; body: BodyWay; layout: LayoutWay }

export type Message = { id: string; timestamp: string; body: string }

/** How far a way is from the right one. */
export function mistakes({ key, body, layout }: Way): number {
  return [key, body, layout].filter((each) => each !== 'right').length
}

/** How many mistakes at the same time are thought of. One for a long body: whoever pastes it must not keep others waiting. */
const MOST_MISTAKES = 2
const LONG_BODY = 16_000
const MOST_SIGNATURES = 10

/** The ways that lead to one of these signatures, the one with the fewest mistakes first. Null when none does. */
export function wayTo(
  signatures: readonly string[],
  secret: string,
  message: Message,
): { way: Way; encoding: Encoding; signature: number } | null {
  const ways = everyWay(secret, message)
  // Of a header with a hundred of them, the first few tell enough.
  const given = signatures.slice(0, MOST_SIGNATURES).map(readAs)
  for (const { way, key, content } of ways) {
    const digest = createHmac('sha256', key).update(content).digest()
    const written = writtenAs(digest)
    for (const [signature, read] of given.entries()) {
      const encoding = ENCODINGS.find((each) => written[each] === read[each])
      if (encoding !== undefined) return { way, encoding, signature }
    }
  }
  return null
}

function everyWay(secret: string, message: Message): Array<{ way: Way; key: Buffer; content: string }> {
  const keys = keysOf(secret)
  const bodies = bodiesOf(message.body)
  const ways = keys.flatMap(([key, bytes]) =>
    bodies.flatMap(([body, text]) =>
      layoutsOf({ ...message, body: text }).map(([layout, content]) => ({
        way: { key, body, layout },
        key: bytes,
        content,
      })),
    ),
  )
  const most = message.body.length + message.id.length > LONG_BODY ? 1 : MOST_MISTAKES
  return (
    ways
      // Nobody signs with an empty key, because anybody could.
      .filter(({ way, key }) => mistakes(way) <= most && key.length > 0)
      .toSorted((one, other) => mistakes(one.way) - mistakes(other.way))
  )
}

const PREFIX = 'whsec_'

/** A secret with the prefix is the base64 of its bytes, any other is itself (decision D3). */
function keysOf(secret: string): Array<[KeyWay, Buffer]> {
  const isEncoded = secret.startsWith(PREFIX)
  const rest = secret.slice(PREFIX.length)
  const trimmed = secret.trim().replace(/^(["'])(.*)\1$/, '$2')
  const trimmedRest = trimmed.startsWith(PREFIX) ? trimmed.slice(PREFIX.length) : trimmed
  const ways: Array<[KeyWay, Buffer]> = isEncoded
    ? [
        ['right', Buffer.from(rest, 'base64')],
        ['as-text', Buffer.from(secret)],
        ['as-text-without-prefix', Buffer.from(rest)],
      ]
    : [
        ['right', Buffer.from(secret)],
        ['decoded', Buffer.from(secret, 'base64')],
      ]
  if (trimmed === secret) return ways
  return [...ways, ['trimmed', trimmed.startsWith(PREFIX) ? Buffer.from(trimmedRest, 'base64') : Buffer.from(trimmed)]]
}

/** The order in which we write the fields of a body; of what is inside `data` we know none. */
const OUR_ORDER = ['id', 'type', 'timestamp', 'environment', 'apiVersion', 'facilityId', 'userId', 'test', 'data']

/** What the text may have been before it was pasted. The first that yields a text counts for it. */
function bodiesOf(body: string): Array<[BodyWay, string]> {
  const texts: Array<[BodyWay, string]> = [
    ['right', body],
    // A form sends every line break as CRLF, so what was pasted cannot be told from what it was made of: neither is a mistake.
    ['right', body.replaceAll('\r\n', '\n')],
    ['line-break-added', withoutEnd(body, '\r\n')],
    ['line-break-missing', `${body}\n`],
    ['line-break-missing', `${body}\r\n`],
    ['spaces-around', body.replace(/^\ufeff/, '').trim()],
    ...writtenAgain(body),
  ]
  const known = new Set<string>()
  return texts.filter(([, text]) => !known.has(text) && known.add(text))
}

/** Deeper than anything that we send, nothing is written again: with indents, a few thousand brackets become a hundred megabytes. */
const DEEPEST = 70
/** Nor is anything signed that grew beyond what indents do to ordinary JSON. */
const MOST_GROWTH = 5
const ROOM_FOR_INDENTS = 1_000

/** Nothing for what is no JSON, or nested too deeply to be written. */
function writtenAgain(body: string): Array<[BodyWay, string]> {
  const parsed = parsedJson(body)
  if (parsed === undefined || isDeeper(parsed, DEEPEST)) return []
  const texts: Array<[BodyWay, string]> = [
    ['written-again', JSON.stringify(parsed)],
    ['keys-in-another-order', JSON.stringify(inOurOrder(parsed))],
    ['written-again-indented', JSON.stringify(parsed, null, 2)],
    ['written-again-indented', JSON.stringify(parsed, null, 4)],
  ]
  return texts.filter(([, text]) => text.length <= body.length * MOST_GROWTH + ROOM_FOR_INDENTS)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}

function inOurOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => placeOf(one) - placeOf(other)))
}

function placeOf(name: string): number {
  return OUR_ORDER.includes(name) ? OUR_ORDER.indexOf(name) : OUR_ORDER.length
}

function layoutsOf({ id, timestamp, body }: Message): Array<[LayoutWay, string]> {
  return [
    ['right', `${id}.${timestamp}.${body}`],
    ['timestamp-first', `${timestamp}.${id}.${body}`],
    ['without-dots', `${id}${timestamp}${body}`],
    ['without-dots', `${id}.${timestamp}${body}`],
    ['without-id', `${timestamp}.${body}`],
    ['without-timestamp', `${id}.${body}`],
    ['body-alone', body],
    ['body-first', `${body}.${timestamp}.${id}`],
    ['body-first', `${body}.${id}.${timestamp}`],
  ]
}

/** What somebody may have meant by it. */
function readAs(text: string): Record<Encoding, string> {
  return { base64: text, unpadded: text, base64url: withoutEnd(text, '='), hex: text.toLowerCase() }
}

function writtenAs(digest: Buffer): Record<Encoding, string> {
  const base64 = digest.toString('base64')
  return {
    base64,
    unpadded: withoutEnd(base64, '='),
    base64url: digest.toString('base64url'),
    hex: digest.toString('hex'),
  }
}
