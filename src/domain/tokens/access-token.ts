import { randomUUID } from 'node:crypto'
import { type JwtAlgorithm, signJwt } from '../../platform/jwt.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { TOKEN_LIFETIME_SECONDS } from '../keys/signing-key.ts'
import type { Authorization } from './authorization.ts'

export type Issuer = { issuer: string; keys: KeyRing; accessTokenAlgorithm: JwtAlgorithm }

export type AccessToken = { token: string; expiresIn: number; scope: string[]; audience: string | null }

/** For a person: the contract's claims, and `jti`, `client_id`, `sid` (decision B2). `scope` may be less than was allowed. */
export function issueUserAccessToken(
  issuer: Issuer,
  { grantId, applicationId, user, audience, sid }: Authorization,
  scope: string[],
  now: Date,
): Promise<AccessToken> {
  return issue(issuer, applicationId, audience, scope, now, {
    sub: user.id,
    role: user.role,
    sid,
    jti: `${grantId}.${randomUUID()}`,
  })
}

/**
 * For the application itself: no person, so no role and no session (decision B16). `grantId` is what ends it before its time,
 * where there is such a thing: the key of a command line.
 */
export function issueApplicationAccessToken(
  issuer: Issuer,
  applicationId: string,
  audience: string,
  scope: string[],
  now: Date,
  grantId: string | null = null,
): Promise<AccessToken> {
  return issue(issuer, applicationId, audience, scope, now, {
    sub: applicationSubject(applicationId),
    jti: grantId === null ? randomUUID() : `${grantId}.${randomUUID()}`,
  })
}

export function applicationSubject(applicationId: string): string {
  return `app:${applicationId}`
}

/** The grant that an access token came of; its `jti` begins with it. */
export function grantOf(jti: string): string | null {
  const dot = jti.indexOf('.')
  return dot === -1 ? null : jti.slice(0, dot)
}

async function issue(
  { issuer, keys, accessTokenAlgorithm }: Issuer,
  applicationId: string,
  audience: string | null,
  scope: string[],
  now: Date,
  own: { sub: string; jti: string; role?: string; sid?: string },
): Promise<AccessToken> {
  const iat = Math.floor(now.getTime() / 1_000)
  const token = await signJwt(keys.signer(accessTokenAlgorithm), 'at+jwt', {
    iss: issuer,
    ...own,
    aud: audience === null ? applicationId : [audience, applicationId],
    azp: applicationId,
    client_id: applicationId,
    scope: scope.join(' '),
    iat,
    exp: iat + TOKEN_LIFETIME_SECONDS,
  })
  return { token, expiresIn: TOKEN_LIFETIME_SECONDS, scope, audience }
}
