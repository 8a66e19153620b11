import { createHash } from 'node:crypto'
import { type JwtAlgorithm, signJwt } from '../../platform/jwt.ts'
import { TOKEN_LIFETIME_SECONDS } from '../keys/signing-key.ts'
import type { Issuer } from './access-token.ts'
import type { Authorization } from './authorization.ts'
import { userClaims } from './claims.ts'

/**
 * Who signed in, for the application. A renewed one keeps sub, sid and auth_time and has no nonce (OpenID Core 12.2); one
 * that comes with an access token is bound to it by `at_hash` (3.1.3.6).
 */
export function issueIdToken(
  { issuer, keys }: Issuer,
  algorithm: JwtAlgorithm,
  { applicationId, user, scope, sid, authTime }: Authorization,
  bound: { nonce: string | null; accessToken: string | null },
  now: Date,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1_000)
  return signJwt(keys.signer(algorithm), 'JWT', {
    iss: issuer,
    ...userClaims(user, scope),
    aud: applicationId,
    ...(bound.nonce !== null && { nonce: bound.nonce }),
    ...(bound.accessToken !== null && { at_hash: atHash(algorithm, bound.accessToken) }),
    sid,
    auth_time: Math.floor(authTime.getTime() / 1_000),
    iat,
    exp: iat + TOKEN_LIFETIME_SECONDS,
  })
}

/** The left half of the hash that the signature uses; Ed25519 uses SHA-512. */
function atHash(algorithm: JwtAlgorithm, accessToken: string): string {
  const digest = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken)
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
