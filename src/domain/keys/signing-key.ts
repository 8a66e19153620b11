import { randomBytes, webcrypto } from 'node:crypto'
import { type JwtAlgorithm, KEY_PARAMETERS } from '../../platform/jwt.ts'

export const SIGNING_ALGORITHMS: readonly JwtAlgorithm[] = ['RS256', 'ES256', 'EdDSA']

/** Tokens live an hour (contract, Limits); nothing that we sign is trusted longer than this after it was signed. */
export const TOKEN_LIFETIME_SECONDS = 3_600

/** A next key is published this long before it signs, so that every verifier has met it (decision B3). */
export const PUBLISHED_AHEAD_SECONDS = 24 * 3_600
/** A retired key stays published until its last token died, and a little for clocks that run behind. */
export const PUBLISHED_AFTER_SECONDS = TOKEN_LIFETIME_SECONDS + 600
/** A key made in an emergency signs as soon as every process has read it. */
export const EVERY_PROCESS_KNOWS_SECONDS = 2
/** How long a key signs before the schedule replaces it. */
export const SIGNS_FOR_SECONDS = 90 * 24 * 3_600

/** RFC 7517, with `kid`, `alg` and `use`. */
export type PublicJwk = Record<string, string>

export type SigningKey = {
  kid: string
  algorithm: JwtAlgorithm
  publicJwk: PublicJwk
  signsFrom: Date
  signsUntil: Date | null
  publishedUntil: Date | null
}

export type KeyState = 'next' | 'current' | 'retired' | 'gone'

export function stateOf(key: SigningKey, now: Date): KeyState {
  if (key.signsFrom > now) return 'next'
  if (key.signsUntil === null || key.signsUntil > now) return 'current'
  return key.publishedUntil === null || key.publishedUntil > now ? 'retired' : 'gone'
}

/** A new key pair; the private half leaves here only to be encrypted. */
export async function generateKey(
  algorithm: JwtAlgorithm,
): Promise<{ kid: string; publicJwk: PublicJwk; privateKey: Buffer }> {
  const pair = await webcrypto.subtle.generateKey(KEY_PARAMETERS[algorithm], true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error(`${algorithm} does not make key pairs`)
  const kid = randomBytes(12).toString('base64url')
  const { kty = '', crv, x, y, n, e } = await webcrypto.subtle.exportKey('jwk', pair.publicKey)
  const members = Object.entries({ kty, crv, x, y, n, e }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  const privateKey = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey))
  return { kid, publicJwk: { ...Object.fromEntries(members), kid, alg: algorithm, use: 'sig' }, privateKey }
}
