import { webcrypto } from 'node:crypto'

/** The three signatures we make (decision B3). */
export type JwtAlgorithm = 'RS256' | 'ES256' | 'EdDSA'

export type JwtSigner = { kid: string; algorithm: JwtAlgorithm; key: webcrypto.CryptoKey }

const SIGNATURE: Record<JwtAlgorithm, webcrypto.AlgorithmIdentifier | webcrypto.EcdsaParams> = {
  RS256: 'RSASSA-PKCS1-v1_5',
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  EdDSA: 'Ed25519',
}

/** What WebCrypto needs to import or make a key of the algorithm. */
export const KEY_PARAMETERS: Record<
  JwtAlgorithm,
  webcrypto.RsaHashedKeyGenParams | webcrypto.EcKeyGenParams | { name: 'Ed25519' }
> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
}

/**
 * A signed JWT in compact form (RFC 7515 7.1). WebCrypto signs in the thread pool, so that a storm of RSA signatures does
 * not stall the event loop, and with a key it has already parsed.
 */
export async function signJwt(signer: JwtSigner, type: 'JWT' | 'at+jwt', claims: object): Promise<string> {
  const header = headerOf(signer, type)
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const signature = await webcrypto.subtle.sign(
    SIGNATURE[signer.algorithm],
    signer.key,
    Buffer.from(`${header}.${payload}`),
  )
  return `${header}.${payload}.${Buffer.from(signature).toString('base64url')}`
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
