import { createHash } from 'node:crypto'
import { compactVerify, createRemoteJWKSet, decodeJwt, decodeProtectedHeader } from 'jose'
import { textIn } from './ask.ts'
import type { Discovery } from './discovery.ts'
import { type Check, check, type ShownToken } from './step.ts'

/** What a client knows when an ID token comes. What is null has nothing to be compared with. */
export type Expected = {
  discovery: Discovery
  clientId: string
  nonce: string | null
  /** Of the ID token before, when this one renews it. */
  subject: string | null
  /** The access token that came beside it from /authorize. */
  accessToken: string | null
}

export type CheckedIdToken = { shown: ShownToken; subject: string; checks: Check[] }

/** Libraries do this for you; it is written out so that every check can be seen (OpenID Core 3.1.3.7). */
export async function checkIdToken(token: string, expected: Expected, now = Date.now()): Promise<CheckedIdToken> {
  const { header, claims } = decoded(token)
  const shown: ShownToken = {
    name: 'ID token',
    lead: 'For your application: who signed in. It is no key to an API.',
    whole: token,
    header,
    claims,
  }
  const { discovery, clientId, nonce, subject, accessToken } = expected
  const audience = [claims['aud']].flat()
  const expires = Number(claims['exp'])
  const sub = textIn(claims, 'sub') ?? ''
  const checks = [
    await signature(token, discovery.jwks_uri, textIn(header, 'kid') ?? 'none'),
    check('iss', claims['iss'] === discovery.issuer, 'The issuer is the one that was asked.', 'Another issuer.'),
    check('aud', audience.includes(clientId), 'It is for this application: its client id.', 'For another application.'),
    check(
      'exp',
      expires * 1_000 > now,
      `It is good for ${Math.round(expires - now / 1_000)} s more. What counts as signed in after that is up to your application.`,
      'It has expired.',
    ),
    nonce !== null &&
      check(
        'nonce',
        claims['nonce'] === nonce,
        'It is the one that was sent: this token answers that request.',
        'Another nonce: replayed.',
      ),
    subject !== null &&
      check('sub', sub === subject, 'The same person as before.', 'Another person than before: stop.'),
    accessToken !== null &&
      check(
        'at_hash',
        claims['at_hash'] === halfHash(accessToken, header['alg']),
        'The access token beside it belongs to it: this is half of its hash.',
        'The access token beside it is another one.',
      ),
  ].filter((each) => each !== false)
  return { shown, subject: sub, checks }
}

/** The key is the one that the header names, and only algorithms that this client expects are taken. */
async function signature(token: string, jwksUri: string, kid: string): Promise<Check> {
  const fits = compactVerify(token, createRemoteJWKSet(new URL(jwksUri)), { algorithms: ['RS256', 'ES256', 'EdDSA'] })
  const passed = await fits.then(
    () => true,
    () => false,
  )
  return check('signature', passed, `It fits the key ${kid} at ${jwksUri}.`, 'No key of the server fits it.')
}

/** Of the hash that the signature uses; Ed25519 uses SHA-512 (OpenID Core 3.1.3.6). */
function halfHash(accessToken: string, algorithm: unknown): string {
  const digest = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken)
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

export function decoded(token: string): { header: Record<string, unknown>; claims: Record<string, unknown> } {
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) }
  } catch {
    return { header: {}, claims: {} }
  }
}
