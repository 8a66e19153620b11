import { type KeyObject, sign, type webcrypto } from 'node:crypto'
import { promisify } from 'node:util'

/** The three signatures we make (decision B3). */
export type JwtAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

export type JwtSigner = { kid: string; algorithm: JwtAlgorithm; key: KeyObject }

/** What WebCrypto needs to import or make a key of the algorithm. */
export const KEY_PARAMETERS: Record<
  JwtAlgorithm,
  webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams | { name: 'Ed25519' }
> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
}

/** A signed JWT in compact form (RFC 7515 7.1). */
export async function signJwt(signer: JwtSigner, type: 'JWT' | 'at+jwt', claims: object): Promise<string> {
  const content = `${headerOf(signer, type)}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  const signature = await SIGN[signer.algorithm](Buffer.from(content), signer.key)
  return `${content}.${signature.toString('base64url')}`
}

/**
 * RSA is slow enough to be done in the thread pool, so that a storm of it does not stall the event loop. On the curves the way
 * to the pool and back costs as much of the loop's time as the signature itself.
 */
const SIGN: Record<JwtAlgorithm, (content: Buffer, key: KeyObject) => Buffer | Promise<Buffer>> = {
  RS256: (content, key) => signInThreadPool('sha256', content, key),
  ES256: (content, key) => concatenated(sign('sha256', content, key)),
  EdDSA: (content, key) => sign(null, content, key),
}

const signInThreadPool = promisify(sign)

const P256_BYTES = 32

/**
 * R and S side by side, as JWS wants them (RFC 7518 3.4), out of the DER that OpenSSL makes (RFC 3279 2.2.3: a sequence of two
 * integers). Asked for this form, node takes the key apart for each signature and needs twice the time for it.
 */
export function concatenated(der: Buffer): Buffer {
  const sAt = 4 + (der[3] ?? 0)
  const joined = Buffer.alloc(2 * P256_BYTES)
  placeInteger(joined, P256_BYTES, der.subarray(4, sAt))
  placeInteger(joined, 2 * P256_BYTES, der.subarray(sAt + 2))
  return joined
}

/** An integer in DER has no leading zeros, but for one that says it is positive. */
function placeInteger(into: Buffer, end: number, integer: Buffer): void {
  const bytes = integer.subarray(Math.max(0, integer.length - P256_BYTES))
  into.set(bytes, end - bytes.length)
}

/** A key signs a great many tokens, and its header is always the same. */
function headerOf({ algorithm, kid }: JwtSigner, type: string): string {
  const name = `${kid} ${type}`
  const known = HEADERS.get(name)
  if (known !== undefined) return known
  const header = Buffer.from(JSON.stringify({ alg: algorithm, typ: type, kid })).toString('base64url')
  HEADERS.set(name, header)
  return header
}

const HEADERS = new Map<string, string>()
