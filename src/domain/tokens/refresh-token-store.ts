import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Application } from '../applications/application.ts'
import { userColumns } from '../users/user-store.ts'
import type { Authorization } from './authorization.ts'
import { type AuthorizationRow, authorizationFromRow } from './authorization-row.ts'
import {
  judgeRefreshToken,
  type KnownRefreshToken,
  openSuccessor,
  type RefreshVerdict,
  sealSuccessor,
} from './refresh-token.ts'
import { revokeGrant } from './revocation-store.ts'

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

export type Refresh = {
  token: string
  /** Null: what was allowed at first. */
  scope: readonly string[] | null
  application: Pick<Application, 'id' | 'refreshRotating' | 'refreshLeewaySeconds'>
  /** The audiences the application may still use; a family of another one waits until support gives it back. */
  audiences: readonly string[]
}

export type RefreshOutcome =
  | { verdict: 'valid'; authorization: Authorization; refreshToken: string }
  | { verdict: Exclude<RefreshVerdict, 'valid' | 'retried'> }

/**
 * Uses a refresh token. The usual case is one statement, which alone decides between uses at the same moment; only when it
 * moved nothing is the reason looked up. Reuse ends the family, and that is committed before it is answered.
 */
export async function useRefreshToken(db: Db, refresh: Refresh): Promise<RefreshOutcome> {
  const used = refresh.application.refreshRotating ? await rotate(db, refresh) : await readLive(db, refresh)
  if (used !== null) return used
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

async function rotate(db: Db, { token, scope, application, audiences }: Refresh): Promise<RefreshOutcome | null> {
  const hash = secretHash(token)
  const successor = newOpaqueSecret()
  const leeway = application.refreshLeewaySeconds
  const sealed = leeway > 0 ? sealSuccessor(token, successor) : null
  const [row] = await db<AuthorizationRow[]>`
    with used as (
      update refresh_tokens
      set consumed_at = now(), successor_sealed = ${sealed},
          successor_until = case when ${sealed !== null} then now() + make_interval(secs => ${leeway}) end
      from refresh_families family
      where token_hash = ${hash} and consumed_at is null
        and family.id = family_id and family.application_id = ${application.id}
        and family.revoked_at is null and family.expires_at > now()
        and (${scope === null} or family.scope @> ${scope ?? []}::text[])
        and (family.audience is null or family.audience = any(${audiences}))
      returning family.id as grant_id, family.application_id, family.user_id, family.scope, family.audience, family.sid,
                family.auth_time, predecessor_hash
    ), born as (
      insert into refresh_tokens (token_hash, family_id, predecessor_hash)
      select ${secretHash(successor)}, grant_id, ${hash} from used
    ), settled as (
      -- The successor of the one before was used now: what a retry could have opened is erased.
      update refresh_tokens before set successor_sealed = null, successor_until = null
      from used where before.token_hash = used.predecessor_hash and before.successor_sealed is not null
    )
    select used.*, ${userColumns(db)} from used join users on users.id = used.user_id and users.blocked_at is null`
  return row ? live(row, successor) : null
}

/** Where support made tokens non-rotating the same one stays good, and nothing is written. */
async function readLive(db: Db, { token, scope, application, audiences }: Refresh): Promise<RefreshOutcome | null> {
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
  return row ? live(row, token) : null
}

/** The answer was lost and the application asks again: the same successor, so that no second live token exists. */
async function retry(db: Db, { token }: Refresh, known: KnownRefreshToken): Promise<RefreshOutcome> {
  const [row] = await db<AuthorizationRow[]>`
    select family.id as grant_id, family.application_id, family.scope, family.audience, family.sid, family.auth_time,
           ${userColumns(db)}
    from refresh_families family join users on users.id = family.user_id and users.blocked_at is null
    where family.id = ${known.familyId}`
  if (!row || known.successorSealed === null) return { verdict: 'revoked' }
  return live(row, openSuccessor(token, known.successorSealed))
}

function live(row: AuthorizationRow, refreshToken: string): RefreshOutcome {
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
