import { decodeJwt, decodeProtectedHeader } from 'jose'

/**
 * Why an access token was refused, for the makers of the application that it names. Of one that is not ours nothing is proven:
 * it is what the token says of itself.
 */
export function describeRefusedToken(
  issuer: string,
  jwt: string,
  verdict: 'not-ours' | 'expired' | 'revoked',
): { clientId: string | null; reason: string } {
  try {
    const { client_id: clientId, aud, iss } = decodeJwt<{ client_id?: unknown }>(jwt)
    const { typ } = decodeProtectedHeader(jwt)
    const named = [clientId, aud].find((each) => typeof each === 'string') ?? null
    return { clientId: named, reason: reasonFor(verdict, iss === issuer, typ) }
  } catch {
    return { clientId: null, reason: REASONS[verdict] }
  }
}

const REASONS = {
  'not-ours': 'The access token was not issued by this server.',
  expired: 'The access token has expired.',
  revoked: 'The access token was revoked.',
}

function reasonFor(verdict: keyof typeof REASONS, fromHere: boolean, typ: string | undefined): string {
  if (verdict !== 'not-ours' || !fromHere) return REASONS[verdict]
  // An ID token looks much the same and is often taken for an access token.
  return typ === 'JWT'
    ? 'An ID token was sent. Send the access token that came with it.'
    : 'The signature of the access token is not ours, or it lacks a claim.'
}
