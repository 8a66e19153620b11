import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../platform/clock.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { SIGNING_ALGORITHMS } from '../keys/signing-key.ts'
import type { Revocations } from './revocations.ts'

/** What a good access token says. */
export type VerifiedToken = {
  jti: string
  sub: string
  clientId: string
  audiences: string[]
  scope: string[]
  sid: string | null
  issuedAt: number
  expiresAt: number
}

export type Verification = { verdict: 'valid'; token: VerifiedToken } | { verdict: 'not-ours' | 'expired' | 'revoked' }

export type TokenVerifier = { issuer: string; keys: KeyRing; revocations: Revocations; clock: Clock }

/**
 * Only our own keys, each with its own algorithm, and only access tokens: an ID token has another `typ`. Headers that name
 * or carry a key (jku, x5u, jwk) are never looked at, so nothing is fetched.
 */
export async function verifyAccessToken(
  { issuer, keys, revocations, clock }: TokenVerifier,
  jwt: string,
): Promise<Verification> {
  let payload: JWTPayload
  try {
    const verified = await jwtVerify(
      jwt,
      ({ kid, alg }) => {
        const known = kid === undefined ? null : keys.verificationKey(kid)
        if (known === null || known.algorithm !== alg) throw new errors.JWSSignatureVerificationFailed()
        return known.key
      },
      {
        issuer,
        typ: 'at+jwt',
        algorithms: [...SIGNING_ALGORITHMS],
        currentDate: clock(),
        requiredClaims: ['sub', 'aud', 'exp', 'iat', 'jti', 'client_id', 'scope'],
      },
    )
    payload = verified.payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { verdict: 'expired' }
    if (error instanceof errors.JOSEError || error instanceof TypeError) return { verdict: 'not-ours' }
    throw error
  }
  const token = fromPayload(payload)
  return revocations.hits(token) ? { verdict: 'revoked' } : { verdict: 'valid', token }
}

function fromPayload(payload: JWTPayload): VerifiedToken {
  const { jti = '', sub = '', aud = [], iat = 0, exp = 0 } = payload
  return {
    jti,
    sub,
    clientId: text(payload['client_id']),
    audiences: [aud].flat(),
    scope: text(payload['scope']).split(' '),
    sid: text(payload['sid']) || null,
    issuedAt: iat,
    expiresAt: exp,
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
