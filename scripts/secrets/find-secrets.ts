import { hash } from 'node:crypto'

/** Something in a text that looks like a secret. The value itself goes no further than here: finds are printed. */
export type Find = {
  kind: string
  line: number
  /** The first characters, for whoever looks for it. */
  begins: string
  /** By which a find is allowed without being written down again. */
  fingerprint: string
}

type Pattern = { kind: string; shape: RegExp; isSecret?: (value: string) => boolean }

/** A name that says secret, and a text of some length given to it. */
const ASSIGNED =
  /(?:secret|password|passwd|token|api_?key|private_?key|master_?key|credential)s?\w{0,20}["']?\]?\s{0,3}(?:[:=]|=>)\s{0,3}["'`]([^"'`\s${}<>]{16,400})["'`]/gi

const PATTERNS: readonly Pattern[] = [
  {
    kind: 'private key',
    shape: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----\s{0,4}(?:\\n)?[A-Za-z0-9+/=]{16}/g,
  },
  { kind: 'private JWK', shape: /"d"\s{0,3}:\s{0,3}"([\w-]{40,700})"/g },
  { kind: 'JWT', shape: /\beyJ[\w-]{10,400}\.eyJ[\w-]{10,4000}\.[\w-]{16}/g },
  { kind: 'platform key or command-line key', shape: /\bh[pc]k_[\w-]{43}/g },
  { kind: 'webhook secret', shape: /\bwhsec_[A-Za-z0-9+/]{22,400}={0,2}/g },
  // 256 random bits in base64url are our client secrets, refresh tokens, codes and cookies, which have no prefix.
  { kind: 'opaque secret', shape: /(?<![\w+/=-])[\w-]{43}(?![\w+/=-])/g, isSecret: looksRandom },
  // 32 random bytes in base64 are a master key; behind `v1,` they are a webhook's signature, behind `sha256-` a script's hash.
  { kind: 'master key', shape: /(?<![\w+/=,-])[A-Za-z0-9+/]{43}=(?![\w+/=])/g, isSecret: looksRandom },
  { kind: 'AWS key', shape: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { kind: 'GitHub token', shape: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,200})/g },
  { kind: 'GitLab token', shape: /\bglpat-[\w-]{20}/g },
  { kind: 'npm token', shape: /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s{0,3}=\s{0,3}[\w-]{16,}/g },
  { kind: 'Slack token', shape: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/g },
  { kind: 'Stripe key', shape: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { kind: 'Google API key', shape: /\bAIza[\w-]{35}\b/g },
  {
    kind: 'password in an address',
    shape: /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s:/@"'`$<>{}]{1,60}:([^\s:/@"'`$<>{}]{12,})@/g,
    isSecret: looksRandom,
  },
  { kind: 'assigned secret', shape: ASSIGNED, isSecret: looksRandom },
]

export function findSecrets(text: string): Find[] {
  return PATTERNS.flatMap(({ kind, shape, isSecret = () => true }) =>
    [...text.matchAll(shape)].flatMap((match) => {
      const value = match[1] ?? match[0]
      if (!isSecret(value)) return []
      const line = text.slice(0, match.index).split('\n').length
      return [{ kind, line, begins: value.slice(0, 12), fingerprint: fingerprintOf(value) }]
    }),
  )
}

export function fingerprintOf(value: string): string {
  return hash('sha256', value).slice(0, 16)
}

/** Random characters have no words, use upper and lower case and digits, and repeat few of them. */
function looksRandom(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(value)).length
  return kinds === 3 && entropyOf(value) >= 3.5 && !/[a-z]{10}|[A-Z]{10}/.test(value)
}

/** Shannon's, in bits for each character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / value.length)
  return shares.reduce((sum, share) => sum - share * Math.log2(share), 0)
}
