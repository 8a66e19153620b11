import { compactVerify, errors } from 'jose'
import type { KeyRing } from '../keys/key-ring.ts'
import { SIGNING_ALGORITHMS } from '../keys/signing-key.ts'

export type HintedPerson = { userId: string; applicationId: string; sid: string }

/** An ID token of ours that is sent back as a hint: signature and issuer count, its expiry does not (decision B21). */
export async function readIdTokenHint(
  { issuer, keys }: { issuer: string; keys: KeyRing },
  jwt: string,
): Promise<HintedPerson | null> {
  try {
    const { payload, protectedHeader } = await compactVerify(
      jwt,
      ({ kid, alg }) => {
        const known = kid === undefined ? null : keys.verificationKey(kid)
        if (known === null || known.algorithm !== alg) throw new errors.JWSSignatureVerificationFailed()
        return known.key
      },
      { algorithms: [...SIGNING_ALGORITHMS] },
    )
    const claims: unknown = JSON.parse(Buffer.from(payload).toString())
    if (protectedHeader.typ !== 'JWT' || !isOurs(claims) || claims.iss !== issuer) return null
    return { userId: claims.sub, applicationId: claims.aud, sid: claims.sid }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) return null
    throw error
  }
}

function isOurs(claims: unknown): claims is { iss: string; sub: string; aud: string; sid: string } {
  if (typeof claims !== 'object' || claims === null) return false
  const { iss, sub, aud, sid } = { iss: undefined, sub: undefined, aud: undefined, sid: undefined, ...claims }
  return [iss, sub, aud, sid].every((claim) => typeof claim === 'string')
}
