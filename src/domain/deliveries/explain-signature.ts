import { secretFault } from '../webhooks/webhook-secret.ts'
import { type PastedHeaders, readPastedHeaders, SIGNED_HEADERS, type SignedHeader } from './pasted-headers.ts'
import { type Encoding, type Message, mistakes, type Way, wayTo } from './signature-ways.ts'

/** What somebody who cannot verify a webhook has at hand. */
export type Pasted = {
  headers: string
  body: string
  secrets: readonly string[]
  /** The signature that their own code came to. */
  computed: string | null
  /** Headers and body are the very ones of a delivery of ours, so only the secret can be wrong. */
  asSent: boolean
}

/** In the order in which a receiver takes them. */
export const VERIFYING_STEPS = ['headers', 'timestamp', 'signature', 'secret', 'match', 'age', 'computed'] as const

export type VerifyingStep = (typeof VERIFYING_STEPS)[number]

export type SignatureFault =
  | { step: 'headers'; kind: 'missing' | 'repeated'; header: SignedHeader }
  | { step: 'timestamp'; kind: 'milliseconds' | 'no-seconds' }
  | { step: 'signature'; kind: 'no-version' | 'other-version' | 'not-base64' }
  /** `secret` counts from one. */
  | { step: 'secret'; kind: 'spaces' | 'malformed'; secret: number }
  | { step: 'match'; kind: 'another-way'; way: Way; encoding: Encoding; secret: number }
  | { step: 'match'; kind: 'other-secret' | 'nothing-fits' }
  | { step: 'age'; kind: 'too-old' | 'too-new'; seconds: number }
  | { step: 'computed'; kind: 'another-way'; way: Way; encoding: Encoding }
  | { step: 'computed'; kind: 'nothing-fits' }

export type Explanation = {
  /** `old` is right in everything but its age, as whatever is looked at later is. */
  verdict: 'valid' | 'old' | 'wrong'
  faults: SignatureFault[]
  /** Which of them fits which; both count from one. */
  fits: { signature: number; of: number; secret: number } | null
  /** Steps that were taken; what came before them must be mended first. */
  taken: VerifyingStep[]
}

/** Receivers refuse what is further from their clock than this (Standard Webhooks). */
const TOLERANCE_SECONDS = 300

/** Which step of verifying a webhook fails (decision D3). Nothing that is given here is kept or told again. */
export function explainSignature(pasted: Pasted, now: Date): Explanation {
  const headers = readPastedHeaders(pasted.headers)
  const headerFaults = faultsOfHeaders(headers)
  if (headerFaults.length > 0) return { verdict: 'wrong', faults: headerFaults, fits: null, taken: ['headers'] }

  const [id = '', timestamp = '', signatureText = ''] = SIGNED_HEADERS.map((name) => headers[name][0])
  const { signatures, faults: signatureFaults } = readSignatures(signatureText)
  const message = { id, timestamp, body: pasted.body }
  const secrets = pasted.secrets.map((secret, position) => ({ secret, position: position + 1 }))
  const found = secrets.flatMap(({ secret, position }) => {
    const way = wayTo(signatures, secret, message)
    return way === null ? [] : [{ ...way, secret: position }]
  })
  const [best] = found.toSorted((one, other) => mistakes(one.way) - mistakes(other.way))
  const isRight = best !== undefined && mistakes(best.way) === 0 && best.encoding === 'base64'
  const faults: SignatureFault[] = [
    ...faultsOfTimestamp(timestamp),
    // Beside one that fits, a damaged one does no harm.
    ...signatureFaults.filter(({ kind }) => !(isRight && kind === 'not-base64')),
    // A secret that fits as it is has nothing wrong with it.
    ...(isRight ? [] : secrets.flatMap(({ secret, position }) => faultsOfSecret(secret, position))),
    ...(isRight ? [] : [matchFault(best, pasted.asSent)]),
    ...faultsOfAge(timestamp, now),
    ...faultsOfComputed(pasted, message),
  ]
  return {
    verdict: faults.length === 0 ? 'valid' : faults.every(({ step }) => step === 'age') ? 'old' : 'wrong',
    faults,
    fits: isRight ? { signature: best.signature + 1, of: signatures.length, secret: best.secret } : null,
    taken: VERIFYING_STEPS.filter((step) => step !== 'computed' || pasted.computed !== null),
  }
}

function faultsOfHeaders(headers: PastedHeaders): SignatureFault[] {
  return SIGNED_HEADERS.flatMap((header): SignatureFault[] => {
    const values = headers[header].filter((value) => value !== '')
    if (values.length === 0) return [{ step: 'headers', kind: 'missing', header }]
    return values.length > 1 ? [{ step: 'headers', kind: 'repeated', header }] : []
  })
}

function faultsOfTimestamp(timestamp: string): SignatureFault[] {
  if (/^\d{9,11}$/.test(timestamp)) return []
  return [{ step: 'timestamp', kind: /^\d{12,14}$/.test(timestamp) ? 'milliseconds' : 'no-seconds' }]
}

/** The texts behind `v1,`. Without any, whatever is there is tried, because it may tell what went wrong. */
function readSignatures(text: string): { signatures: string[]; faults: SignatureFault[] } {
  const parts = text.split(' ').filter((part) => part !== '')
  const ours = parts.filter((part) => part.startsWith('v1,')).map((part) => part.slice('v1,'.length))
  if (ours.length === 0) {
    const kind = parts.some((part) => /^v[0-9a-z]+,/.test(part)) ? 'other-version' : 'no-version'
    const bare = parts.map((part) => part.replace(/^\w+[,=]/, ''))
    return { signatures: [...parts, ...bare], faults: [{ step: 'signature', kind }] }
  }
  const isForm = ours.every((each) => /^[A-Za-z0-9+/]{43}=$/.test(each))
  return { signatures: ours, faults: isForm ? [] : [{ step: 'signature', kind: 'not-base64' }] }
}

function faultsOfSecret(text: string, secret: number): SignatureFault[] {
  if (text !== text.trim() || /^["'].*["']$/.test(text)) return [{ step: 'secret', kind: 'spaces', secret }]
  return secretFault(text) === null ? [] : [{ step: 'secret', kind: 'malformed', secret }]
}

function matchFault(
  best: { way: Way; encoding: Encoding; secret: number } | undefined,
  asSent: boolean,
): SignatureFault {
  if (best === undefined) return { step: 'match', kind: asSent ? 'other-secret' : 'nothing-fits' }
  return { step: 'match', kind: 'another-way', way: best.way, encoding: best.encoding, secret: best.secret }
}

function faultsOfAge(timestamp: string, now: Date): SignatureFault[] {
  if (!/^\d{9,14}$/.test(timestamp)) return []
  const signedAt = timestamp.length > 11 ? Number(timestamp) / 1_000 : Number(timestamp)
  const seconds = Math.round(now.getTime() / 1_000 - signedAt)
  if (Math.abs(seconds) <= TOLERANCE_SECONDS) return []
  return [{ step: 'age', kind: seconds > 0 ? 'too-old' : 'too-new', seconds: Math.abs(seconds) }]
}

function faultsOfComputed({ computed, secrets }: Pasted, message: Message): SignatureFault[] {
  if (computed === null) return []
  const bare = computed.trim().replace(/^v1,/, '')
  for (const secret of secrets) {
    const found = wayTo([bare], secret, message)
    if (found === null) continue
    if (mistakes(found.way) === 0 && found.encoding === 'base64') return []
    return [{ step: 'computed', kind: 'another-way', way: found.way, encoding: found.encoding }]
  }
  return [{ step: 'computed', kind: 'nothing-fits' }]
}
