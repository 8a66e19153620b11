import { createRemoteJWKSet, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose'

/** A token as an integrator reads it: checked against the published keys and the issuer, by somebody else's code. */
export async function verifiedClaims(
  jwt: string,
  serviceUrl: string,
): Promise<{ header: JWTHeaderParameters; claims: JWTPayload }> {
  const keys = createRemoteJWKSet(new URL(`${serviceUrl}/oidc/.well-known/jwks.json`))
  const { payload, protectedHeader } = await jwtVerify(jwt, keys, { issuer: `${serviceUrl}/oidc` })
  return { header: protectedHeader, claims: payload }
}
