import { createHash, timingSafeEqual } from 'node:crypto'

/** A code as it was issued at /authorize, for one exchange within a minute (decision B12). */
export type IssuedCode = {
  grantId: string
  applicationId: string
  /** As it was sent to /authorize; null when it was left out. */
  redirectUri: string | null
  codeChallenge: string | null
  consumed: boolean
  expired: boolean
}

export const CODE_LIFETIME_SECONDS = 60

/** What came with the code. `confidential`: the application has proven itself with its secret. */
export type Presented = {
  applicationId: string
  confidential: boolean
  redirectUri: string | null
  codeVerifier: string | null
}

export type CodeVerdict =
  | 'valid'
  | 'unknown'
  | 'of-another-application'
  | 'reused'
  | 'expired'
  | 'redirect-uri-differs'
  | 'verifier-missing'
  | 'verifier-unexpected'
  | 'verifier-wrong'

/** May this application exchange the code, with these parameters? The contract: redirect_uri identical if it was sent at all. */
export function judgeCode(code: IssuedCode | null, exchange: Presented): CodeVerdict {
  if (code === null) return 'unknown'
  if (code.applicationId !== exchange.applicationId) return 'of-another-application'
  if (code.consumed) return 'reused'
  if (code.expired) return 'expired'
  if (code.redirectUri !== null && code.redirectUri !== exchange.redirectUri) return 'redirect-uri-differs'
  return judgeVerifier(code.codeChallenge, exchange)
}

/**
 * RFC 7636 4.6, S256 only. Neither half may come without the other (decision B9): that would be a downgrade. An application
 * that proves nothing by a secret has to prove by a verifier that the code is its own (contract, PKCE).
 */
function judgeVerifier(challenge: string | null, { confidential, codeVerifier: verifier }: Presented): CodeVerdict {
  if (challenge === null && verifier !== null) return 'verifier-unexpected'
  if (challenge === null) return confidential ? 'valid' : 'verifier-missing'
  if (verifier === null) return 'verifier-missing'
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return 'verifier-wrong'
  const derived = createHash('sha256').update(verifier).digest()
  const expected = Buffer.from(challenge, 'base64url')
  return derived.length === expected.length && timingSafeEqual(derived, expected) ? 'valid' : 'verifier-wrong'
}
