import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../../platform/clock.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { SIGNING_ALGORITHMS } from '../keys/signing-key.ts'
import type { Revocations } from './revocations.ts'
import type { VerifiedToken, VerifiedTokens } from './verified-tokens.ts'

export type Verification = { verdict: 'valid'; token: VerifiedToken } | { verdict: 'not-ours' | 'expired' | 'revoked' }

export type TokenVerifier = {
  issuer: string
  keys: KeyRing
  revocations: Revocations
  verified: VerifiedTokens
  clock: Clock
}

/**
 * Only our own keys, each with its own algorithm, and only access tokens: an ID token has another `typ`. Headers that name
 * or carry a key (jku, x5u, jwk) are never looked at, so nothing is fetched.
 */
export async function verifyAccessToken(verifier: TokenVerifier, jwt: string): Promise<Verification> {
  const { keys, revocations, verified, clock } = verifier
  const found = verified.find(jwt)
  const known = found !== null && keys.verificationKey(found.kid) !== null ? found : null
  if (known !== null && known.expiresAt * 1_000 <= clock().getTime()) return { verdict: 'expired' }
  const signed = known === null ? await checkSignature(verifier, jwt) : { verdict: 'valid' as const, token: known }
  if (signed.verdict !== 'valid') return signed
  if (known === null) verified.keep(jwt, signed.token)
  return revocations.hits(signed.token) ? { verdict: 'revoked' } : signed
}

async function checkSignature({ issuer, keys, clock }: TokenVerifier, jwt: string): Promise<Verification> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
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
    return { verdict: 'valid', token: fromPayload(payload, protectedHeader.kid ?? '') }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { verdict: 'expired' }
    if (error instanceof errors.JOSEError || error instanceof TypeError) return { verdict: 'not-ours' }
    throw error
  }
}

function fromPayload(payload: JWTPayload, kid: string): VerifiedToken {
  const { jti = '', sub = '', aud = [], iat = 0, exp = 0 } = payload
  return {
    kid,
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
