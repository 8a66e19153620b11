import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { userColumns } from '../users/user-store.ts'
import type { Authorization } from './authorization.ts'
import { type AuthorizationRow, authorizationFromRow } from './authorization-row.ts'
import { judgeRefreshToken, type KnownRefreshToken, openSuccessor, type RefreshVerdict } from './refresh-token.ts'
import { revokeGrant } from './revocation-store.ts'
import type { Refresh, Refreshed, RotateRefreshToken } from './rotation-store.ts'

/** The first token of a family. Its lifetime is the whole family's: rotation does not extend it (decision B13). */
export async function startFamily(
  tx: DbOrTransaction,
  authorization: Authorization,
  lifetimeSeconds: number,
): Promise<string> {
  const { grantId, applicationId, user, scope, audience, sid, authTime } = authorization
  const token = newOpaqueSecret()
  await tx`
    with family as (
      insert into refresh_families (id, application_id, user_id, scope, audience, sid, auth_time, expires_at)
      values (${grantId}, ${applicationId}, ${user.id}, ${scope}, ${audience}, ${sid}, ${authTime},
              now() + make_interval(secs => ${lifetimeSeconds}))
      returning id
    )
    insert into refresh_tokens (token_hash, family_id) select ${secretHash(token)}, id from family`
  return token
}

export type RefreshOutcome =
  | ({ verdict: 'valid' } & Refreshed)
  | { verdict: Exclude<RefreshVerdict, 'valid' | 'retried'> }

/**
 * Uses a refresh token. The usual case is one statement, which alone decides between uses at the same moment; only when it
 * moved nothing is the reason looked up. Reuse ends the family, and that is committed before it is answered.
 */
export async function useRefreshToken(db: Db, rotate: RotateRefreshToken, refresh: Refresh): Promise<RefreshOutcome> {
  const used = refresh.application.refreshRotating ? await rotate(refresh) : await readLive(db, refresh)
  if (used !== null) return { verdict: 'valid', ...used }
  const hash = secretHash(refresh.token)
  const known = await readKnown(db, hash)
  const verdict = judgeRefreshToken(known, {
    applicationId: refresh.application.id,
    scope: refresh.scope,
    audiences: refresh.audiences,
  })
  if (known === null) return { verdict: 'unknown' }
  switch (verdict) {
    case 'reused':
      // Without rotation there is no reuse: a token from the time before is merely of no use any more.
      if (refresh.application.refreshRotating) {
        await transaction(db, (tx) => revokeGrant(tx, known.familyId, 'refresh token used twice'))
      }
      return { verdict }
    case 'retried':
      return retry(db, refresh, known)
    case 'valid':
      // It was consumed and its leeway ended between the two statements, or its person is blocked.
      return { verdict: 'revoked' }
    case 'unknown':
    case 'of-another-application':
    case 'expired':
    case 'revoked':
    case 'scope-exceeded':
    case 'target-closed':
      return { verdict }
  }
}

/** Where support made tokens non-rotating the same one stays good, and nothing is written. */
async function readLive(db: Db, { token, scope, application, audiences }: Refresh): Promise<Refreshed | null> {
  const [row] = await db<AuthorizationRow[]>`
    select family.id as grant_id, family.application_id, family.scope, family.audience, family.sid, family.auth_time,
           ${userColumns(db)}
    from refresh_tokens
    join refresh_families family on family.id = family_id and family.application_id = ${application.id}
      and family.revoked_at is null and family.expires_at > now()
    join users on users.id = family.user_id and users.blocked_at is null
    where token_hash = ${secretHash(token)} and consumed_at is null
      and (${scope === null} or family.scope @> ${scope ?? []}::text[])
      and (family.audience is null or family.audience = any(${audiences}))`
  return row ? { authorization: authorizationFromRow(row), refreshToken: token } : null
}

/** The answer was lost and the application asks again: the same successor, so that no second live token exists. */
async function retry(db: Db, { token }: Refresh, known: KnownRefreshToken): Promise<RefreshOutcome> {
  const [row] = await db<AuthorizationRow[]>`
    select family.id as grant_id, family.application_id, family.scope, family.audience, family.sid, family.auth_time,
           ${userColumns(db)}
    from refresh_families family join users on users.id = family.user_id and users.blocked_at is null
    where family.id = ${known.familyId}`
  if (!row || known.successorSealed === null) return { verdict: 'revoked' }
  const refreshToken = openSuccessor(token, known.successorSealed)
  return { verdict: 'valid', authorization: authorizationFromRow(row), refreshToken }
}

type KnownRow = {
  family_id: string
  application_id: string
  scope: string[]
  audience: string | null
  expired: boolean
  revoked: boolean
  consumed: boolean
  successor_sealed: Buffer | null
}

async function readKnown(db: Db, hash: Buffer): Promise<KnownRefreshToken | null> {
  const [row] = await db<KnownRow[]>`
    select family.id as family_id, family.application_id, family.scope, family.audience, family.expires_at <= now() as expired,
           family.revoked_at is not null as revoked, consumed_at is not null as consumed,
           case when successor_until > now() then successor_sealed end as successor_sealed
    from refresh_tokens join refresh_families family on family.id = family_id
    where token_hash = ${hash}`
  if (!row) return null
  return {
    familyId: row.family_id,
    applicationId: row.application_id,
    scope: row.scope,
    audience: row.audience,
    expired: row.expired,
    revoked: row.revoked,
    consumed: row.consumed,
    successorSealed: row.successor_sealed,
  }
}

export type RefreshTokenState = {
  familyId: string
  applicationId: string
  userId: string
  scope: string[]
  expiresAt: Date
  live: boolean
}

/** For revocation and introspection: whose it is, and whether it still works. */
export async function findRefreshToken(db: Db, token: string): Promise<RefreshTokenState | null> {
  const [row] = await db<
    Array<{
      family_id: string
      application_id: string
      user_id: string
      scope: string[]
      expires_at: Date
      live: boolean
    }>
  >`
    select family.id as family_id, family.application_id, family.user_id, family.scope, family.expires_at,
           consumed_at is null and family.revoked_at is null and family.expires_at > now() as live
    from refresh_tokens join refresh_families family on family.id = family_id
    where token_hash = ${secretHash(token)}`
  if (!row) return null
  return {
    familyId: row.family_id,
    applicationId: row.application_id,
    userId: row.user_id,
    scope: row.scope,
    expiresAt: row.expires_at,
    live: row.live,
  }
}

/** A sealed successor is of no use after its leeway. */
export async function eraseEndedLeeways(db: Db): Promise<void> {
  await db`
    update refresh_tokens set successor_sealed = null, successor_until = null
    where successor_sealed is not null and successor_until <= now()`
}

/** With a family go its tokens. */
export async function forgetExpiredFamilies(db: Db): Promise<void> {
  await db`
    delete from refresh_families where id in
      (select id from refresh_families where expires_at < now() - interval '1 day' order by expires_at limit 1000)`
}
