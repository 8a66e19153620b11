import { createHmac } from 'node:crypto'
import { signedHeaders } from '../src/domain/deliveries/signature.ts'

/** A request as it comes to a receiver at a moment, the secrets that the receiver knows, and whether it may be trusted. */
export type WebhookVector = {
  name: string
  secrets: string[]
  headers: Record<string, string>
  body: string
  /** Seconds since 1970, by the receiver's clock. */
  now: number
  valid: boolean
  /** Why it may not be trusted; empty when it may. */
  reason: string
}

const NOW = 1_789_000_000
const TOLERANCE_SECONDS = 300
const ID = 'evt_01993a5e7c4072f1a3b2c4d5e6f70819'
/** Nobody's secrets: they stand in this file and in its output only. */
const SECRET = `whsec_${Buffer.from('vectors: the first of two secrets').toString('base64')}`
const OTHER = `whsec_${Buffer.from('vectors: and the other one of two').toString('base64')}`
const PLAIN = 'vectors: a plain secret, as it stands'
const LIKE_BASE64 = 'dmVjdG9yczogYSBwbGFpbiBzZWNyZXQ='
const BODY = `{"id":"${ID}","type":"shift.created","timestamp":"2026-09-10T01:46:40.000Z","environment":"sandbox","apiVersion":"v2","facilityId":"fac_sandbox_riverside","data":{"shiftId":"4711"}}`
const ODD_BODY = BODY.replace('"4711"', '"<b>4711</b> & née \u2028 🏥"')
const SPACED_BODY = `${BODY.replace('{"shiftId":"4711"}', '{ "shiftId" : "4711", "rate" : 42.50, "of" : 12345678901234567890 }')}\n`

type Given = Partial<Pick<WebhookVector, 'secrets' | 'headers' | 'body' | 'now'>>

/** Signed as the service signs, unless something is given otherwise. */
function request(signedBy: readonly string[], { body = BODY, now = NOW }: Given = {}) {
  return { headers: signedHeaders({ id: ID, body }, signedBy, new Date(now * 1_000)), body }
}

function valid(name: string, signedBy: string[], secrets: string[], given: Given = {}): WebhookVector {
  return { name, secrets, ...request(signedBy, given), now: NOW, ...given, valid: true, reason: '' }
}

function refused(name: string, reason: string, given: Given): WebhookVector {
  return { name, secrets: [SECRET], ...request([SECRET], given), now: NOW, ...given, valid: false, reason }
}

const GOOD: Record<string, string> = request([SECRET]).headers
const signature = (GOOD['webhook-signature'] ?? '').slice('v1,'.length)

/** The same request with headers changed; what is null is left out. */
function changed(headers: Record<string, string | null>): { headers: Record<string, string> } {
  const kept = Object.entries({ ...GOOD, ...headers }).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return { headers: Object.fromEntries(kept) }
}

const signed = (text: string) => changed({ 'webhook-signature': text })

/** As somebody signs who puts the parts together in a way of their own, or takes the secret for something else. */
function macOf(key: string | Buffer, content: string): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

const CONTENT = `${ID}.${NOW}.${BODY}`
const NO_FIT = 'no signature fits'
const TIMESTAMP = 'timestamp too far from now'
const MISSING = 'a header is missing'

const TRUSTED: WebhookVector[] = [
  valid('one secret', [SECRET], [SECRET]),
  valid('two secrets known, signed with the first', [SECRET], [SECRET, OTHER]),
  valid('two secrets known, signed with the second', [OTHER], [SECRET, OTHER]),
  valid('rotation: two signatures, the receiver still has the old secret', [OTHER, SECRET], [SECRET]),
  valid('rotation: two signatures, the receiver has the new secret already', [OTHER, SECRET], [OTHER]),
  valid('a plain secret is itself', [PLAIN], [PLAIN]),
  valid('a plain secret beyond ASCII is its UTF-8 bytes', ['schlüssel 🔑'], ['schlüssel 🔑']),
  valid('a plain secret that looks like base64 is not decoded', [LIKE_BASE64], [LIKE_BASE64]),
  valid('a plain and an encoded secret side by side', [PLAIN], [SECRET, PLAIN]),
  valid('an empty secret beside the right one', [SECRET], ['', SECRET]),
  valid('a body with < > & and letters beyond ASCII, U+2028 among them', [SECRET], [SECRET], { body: ODD_BODY }),
  valid('a body with spaces, odd numbers and a line break at its end', [SECRET], [SECRET], { body: SPACED_BODY }),
  valid('an empty body', [SECRET], [SECRET], { body: '' }),
  valid('header names in any case', [SECRET], [SECRET], {
    headers: {
      'WEBHOOK-ID': ID,
      'Webhook-Timestamp': String(NOW),
      'webhook-Signature': `v1,${signature}`,
    },
  }),
  valid('as old as it may be', [SECRET], [SECRET], {
    ...request([SECRET], { now: NOW - TOLERANCE_SECONDS }),
    now: NOW,
  }),
  valid('as far ahead as it may be', [SECRET], [SECRET], {
    ...request([SECRET], { now: NOW + TOLERANCE_SECONDS }),
    now: NOW,
  }),
  valid('signatures of other versions beside v1', [SECRET], [SECRET], signed(`v1a,${signature} v2,x v1,${signature}`)),
  valid('a signature that does not fit before the one that does', [SECRET], [SECRET], signed(`v1,x v1,${signature}`)),
]

const REFUSED: WebhookVector[] = [
  refused('a changed body', NO_FIT, { headers: GOOD, body: BODY.replace('4711', '4712') }),
  refused('a body that was parsed and written again', NO_FIT, {
    ...request([SECRET], { body: SPACED_BODY }),
    body: JSON.stringify(JSON.parse(SPACED_BODY)),
  }),
  refused('a line break that was added to the body', NO_FIT, { headers: GOOD, body: `${BODY}\n` }),
  refused('another webhook-id', NO_FIT, changed({ 'webhook-id': 'evt_01993a5e7c4072f1a3b2c4d5e6f70820' })),
  refused('another webhook-timestamp, within the tolerance', NO_FIT, changed({ 'webhook-timestamp': String(NOW - 1) })),
  refused('another secret', NO_FIT, { secrets: [OTHER] }),
  refused('rotation: the receiver has only the new secret, which does not sign yet', NO_FIT, {
    secrets: [OTHER, PLAIN],
  }),
  refused('no secret known', NO_FIT, { secrets: [] }),
  refused('an empty secret, with which anybody can sign', NO_FIT, { ...signed(macOf('', CONTENT)), secrets: [''] }),
  refused('the prefix of a secret and nothing behind it', NO_FIT, {
    ...signed(macOf('', CONTENT)),
    secrets: ['whsec_'],
  }),
  refused('an encoded secret that signed as text', NO_FIT, signed(macOf(SECRET, CONTENT))),
  refused('a plain secret that signed as base64', NO_FIT, {
    ...signed(macOf(Buffer.from(LIKE_BASE64, 'base64'), CONTENT)),
    secrets: [LIKE_BASE64],
  }),
  refused('the body signed alone', NO_FIT, signed(macOf(Buffer.from(SECRET.slice(6), 'base64'), BODY))),
  refused('a second older than it may be', TIMESTAMP, {
    ...request([SECRET], { now: NOW - TOLERANCE_SECONDS - 1 }),
    now: NOW,
  }),
  refused('a second further ahead than it may be', TIMESTAMP, {
    ...request([SECRET], { now: NOW + TOLERANCE_SECONDS + 1 }),
    now: NOW,
  }),
  refused('a timestamp in milliseconds', TIMESTAMP, retimed(String(NOW * 1_000))),
  refused('a timestamp that is no number', TIMESTAMP, retimed('now')),
  refused('a timestamp too large for any clock', TIMESTAMP, retimed('9'.repeat(30))),
  refused('no webhook-id', MISSING, changed({ 'webhook-id': null })),
  refused('no webhook-timestamp', MISSING, changed({ 'webhook-timestamp': null })),
  refused('no webhook-signature', MISSING, changed({ 'webhook-signature': null })),
  refused('an empty webhook-id', MISSING, changed({ 'webhook-id': '' })),
  refused('an empty webhook-timestamp', MISSING, changed({ 'webhook-timestamp': '' })),
  refused('an empty webhook-signature', MISSING, signed('')),
  refused('a version and no signature', NO_FIT, signed('v1,')),
  refused('a signature without its version', NO_FIT, signed(signature)),
  refused('another version, v2', NO_FIT, signed(`v2,${signature}`)),
  refused('another version, v1a', NO_FIT, signed(`v1a,${signature}`)),
  refused('the version in capitals', NO_FIT, signed(`V1,${signature}`)),
  refused('a signature that is no base64', NO_FIT, signed('v1,%%%% not base64 at all')),
  refused('half a signature', NO_FIT, signed(`v1,${signature.slice(0, 22)}`)),
  refused('a signature without its padding', NO_FIT, signed(`v1,${signature.replace('=', '')}`)),
  refused('a signature and more behind it', NO_FIT, signed(`v1,${signature}A`)),
  refused('a signature in hex', NO_FIT, signed(`v1,${Buffer.from(signature, 'base64').toString('hex')}`)),
]

function retimed(timestamp: string): { headers: Record<string, string> } {
  const mac = macOf(Buffer.from(SECRET.slice('whsec_'.length), 'base64'), `${ID}.${timestamp}.${BODY}`)
  return changed({ 'webhook-timestamp': timestamp, 'webhook-signature': mac })
}

/** Always the same: nothing in them comes from a clock or from chance. */
export function webhookVectors(): WebhookVector[] {
  return [...TRUSTED, ...REFUSED]
}

/** The file for everybody who writes a receiver. ASCII, so that no editor and no download changes it. */
export const WEBHOOK_VECTORS_FILE = 'docs/vectors/webhook-signatures.json'

export function webhookVectorsText(): string {
  const document = {
    about:
      'Signatures of webhooks: each entry is a request at a moment, the secrets a receiver knows, and the verdict.',
    toleranceSeconds: TOLERANCE_SECONDS,
    vectors: webhookVectors(),
  }
  const text = JSON.stringify(document, null, 2).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}
