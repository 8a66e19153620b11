import type { Explanation, SignatureFault, VerifyingStep } from './explain-signature.ts'
import type { BodyWay, Encoding, KeyWay, LayoutWay, Way } from './signature-ways.ts'

/** What is wrong, and what to do about it. */
export type FaultWords = { says: string; mend: string }

export const STEP_WORDS: Record<VerifyingStep, { title: string; passed: string }> = {
  headers: {
    title: 'The three headers',
    passed: 'webhook-id, webhook-timestamp and webhook-signature are there, each once.',
  },
  timestamp: { title: 'Form of the timestamp', passed: 'Seconds since 1970.' },
  signature: { title: 'Form of the signature', passed: 'v1 and base64.' },
  secret: { title: 'Form of the secret', passed: 'It can be a key.' },
  match: { title: 'The signature fits', passed: '' },
  age: { title: 'Age', passed: 'Within five minutes of now.' },
  computed: { title: 'What your code came to', passed: 'The right signature.' },
}

export function fitsInWords({ fits }: Explanation): string {
  if (fits === null) return ''
  const which = fits.of === 1 ? 'The signature' : `Signature ${fits.signature} of ${fits.of}`
  return `${which} fits ${fits.secret === 1 ? 'the secret' : 'the other secret'} and the body as it is.`
}

export function faultInWords(fault: SignatureFault): FaultWords {
  switch (fault.step) {
    case 'headers':
      return headerWords(fault)
    case 'timestamp':
      return fault.kind === 'milliseconds'
        ? {
            says: 'The timestamp is in milliseconds.',
            mend: 'It is in seconds: use the header as it came, do not make it anew.',
          }
        : { says: 'The timestamp is not a number of seconds.', mend: 'Use the header webhook-timestamp as it came.' }
    case 'signature':
      return signatureWords(fault.kind)
    case 'secret':
      return secretWords(fault)
    case 'match':
      return matchWords(fault)
    case 'age':
      return ageWords(fault)
    case 'computed':
      return fault.kind === 'another-way'
        ? wayWords(fault.way, fault.encoding, 'Your code’s signature')
        : {
            says: 'What your code came to cannot be explained by any mistake that we know of.',
            mend: 'Print what your code signs, byte by byte, and compare it with webhook-id, a dot, webhook-timestamp, a dot, and the body.',
          }
  }
}

function headerWords({ kind, header }: Extract<SignatureFault, { step: 'headers' }>): FaultWords {
  if (kind === 'missing')
    return {
      says: `${header} is not among the headers.`,
      mend: 'Look at what a proxy or a framework does to headers on the way. Names are compared without regard to case.',
    }
  return {
    says: `${header} is there more than once.`,
    mend: 'Paste one request at a time. If one request really has it twice, a proxy joined two of them.',
  }
}

function signatureWords(kind: 'no-version' | 'other-version' | 'not-base64'): FaultWords {
  switch (kind) {
    case 'no-version':
      return {
        says: 'No signature begins with “v1,”.',
        mend: 'Take the header whole. Its parts are separated by spaces, and each is a version, a comma and base64.',
      }
    case 'other-version':
      return {
        says: 'There are signatures, but none of version v1.',
        mend: 'We sign with v1 (HMAC-SHA256). Another version was not made by us.',
      }
    case 'not-base64':
      return {
        says: 'A signature is not the base64 of 32 bytes.',
        mend: 'Use the header as it came: hex, another alphabet of base64 or a part that was cut off cannot be compared.',
      }
  }
}

function secretWords({ kind, secret }: Extract<SignatureFault, { step: 'secret' }>): FaultWords {
  const which = secret === 1 ? 'The secret' : 'The other secret'
  return kind === 'spaces'
    ? { says: `${which} has spaces or quotes around it.`, mend: 'Take them away, in your configuration too.' }
    : {
        says: `${which} begins with whsec_, but what follows is not base64 of at least 16 bytes.`,
        mend: 'Copy it again, whole: its padding (=) is part of it.',
      }
}

function matchWords(fault: Extract<SignatureFault, { step: 'match' }>): FaultWords {
  switch (fault.kind) {
    case 'another-way':
      return wayWords(fault.way, fault.encoding, 'The signature')
    case 'other-secret':
      return {
        says: 'Wrong secret: headers and body are the ones that we sent, and this secret does not fit.',
        mend: 'Copy the secret of this very webhook. Each webhook, sandbox and production, has its own; it may have been rotated.',
      }
    case 'nothing-fits':
      return {
        says: 'Nothing fits: wrong secret, or the body or the id is not the one that was sent.',
        mend: 'Check that the secret is this webhook’s. Then compare the body with the delivery in the portal: open it from there, and only the secret is left to doubt.',
      }
  }
}

function ageWords({ kind, seconds }: Extract<SignatureFault, { step: 'age' }>): FaultWords {
  return kind === 'too-old'
    ? {
        says: `It was signed ${durationInWords(seconds)} ago; receivers refuse what is older than five minutes.`,
        mend: 'Nothing to mend if you look at an old request. If it was refused when it came, set the clock of your receiver, and do not queue requests before you verify them.',
      }
    : {
        says: `It is signed ${durationInWords(seconds)} in the future.`,
        mend: 'Set the clock of your receiver.',
      }
}

const KEYS: Record<Exclude<KeyWay, 'right'>, FaultWords> = {
  'as-text': {
    says: 'was made with the secret as text, whsec_ included',
    mend: 'Take away whsec_ and decode the rest from base64: those bytes are the key.',
  },
  'as-text-without-prefix': {
    says: 'was made with the secret as text, without decoding it',
    mend: 'Decode what follows whsec_ from base64: those bytes are the key.',
  },
  decoded: {
    says: 'was made with this secret decoded from base64, as if it began with whsec_',
    mend: 'Keep the secret with whsec_ in front. Without it, a secret is taken as text.',
  },
  trimmed: {
    says: 'was made with the secret without the spaces or quotes around it',
    mend: 'Take them away, in your configuration too.',
  },
}

const BODIES: Record<Exclude<BodyWay, 'right'>, FaultWords> = {
  'line-break-added': {
    says: 'was made over the body without the line break at its end',
    mend: 'Verify the bytes as they came, before anything is added to them.',
  },
  'line-break-missing': {
    says: 'was made over the body with a line break at its end',
    mend: 'Verify the bytes as they came, before anything is taken from them.',
  },
  'spaces-around': {
    says: 'was made over the body without the spaces around it',
    mend: 'Verify the bytes as they came, before anything is added to them.',
  },
  'written-again': {
    says: 'was made over this JSON in another spelling, without spaces and line breaks',
    mend: 'You verified the parsed body. Verify the raw bytes, and parse them afterwards: in Express use express.raw(), in Flask request.get_data().',
  },
  'written-again-indented': {
    says: 'was made over this JSON in another spelling, with indents',
    mend: 'You verified the parsed body. Verify the raw bytes, and parse them afterwards.',
  },
  'keys-in-another-order': {
    says: 'was made over this JSON with its keys in another order',
    mend: 'You verified the parsed body. Verify the raw bytes, and parse them afterwards.',
  },
}

const ORDER = 'What is signed is webhook-id, a dot, webhook-timestamp, a dot, and the body, in this order.'

const LAYOUTS: Record<Exclude<LayoutWay, 'right'>, FaultWords> = {
  'timestamp-first': { says: 'was made with the timestamp before the id', mend: ORDER },
  'without-dots': { says: 'was made without the dots between id, timestamp and body', mend: ORDER },
  'without-id': { says: 'was made without the id', mend: ORDER },
  'without-timestamp': { says: 'was made without the timestamp', mend: ORDER },
  'body-alone': { says: 'was made over the body alone', mend: ORDER },
  'body-first': { says: 'was made with the body first', mend: ORDER },
}

const ENCODINGS: Record<Exclude<Encoding, 'base64'>, FaultWords> = {
  hex: { says: 'is written in hex', mend: 'Compare base64 with base64.' },
  base64url: { says: 'is written in the URL alphabet of base64', mend: 'Use the ordinary alphabet, with + and /.' },
  unpadded: { says: 'lacks the padding of base64', mend: 'Keep the = at the end.' },
}

/** Every mistake of a way in one sentence, and what to do about each. */
function wayWords({ key, body, layout }: Way, encoding: Encoding, who: string): FaultWords {
  const found = [
    key === 'right' ? null : KEYS[key],
    body === 'right' ? null : BODIES[body],
    layout === 'right' ? null : LAYOUTS[layout],
    encoding === 'base64' ? null : ENCODINGS[encoding],
  ].filter((words) => words !== null)
  return {
    says: `${who} ${found.map(({ says }) => says).join(', and ')}.`,
    mend: [...new Set(found.map(({ mend }) => mend))].join(' '),
  }
}

const UNITS: Array<[seconds: number, name: string]> = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** The two largest units: `2 hours 5 minutes`. */
export function durationInWords(seconds: number): string {
  const parts = UNITS.map(([unit, name], position) => {
    const above = UNITS[position - 1]?.[0] ?? Number.POSITIVE_INFINITY
    const count = Math.floor((seconds % above) / unit)
    return count === 0 ? null : `${count} ${name}${count === 1 ? '' : 's'}`
  }).filter((part) => part !== null)
  return parts.slice(0, 2).join(' ') || '0 seconds'
}
