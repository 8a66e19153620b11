import { byteaTexts } from '../../platform/bytea.ts'
import type { Db } from '../../platform/db.ts'
import { gatheredCalls } from '../../platform/gathered-calls.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import type { Application } from '../applications/application.ts'
import { userColumns } from '../users/user-store.ts'
import type { Authorization } from './authorization.ts'
import { type AuthorizationRow, authorizationFromRow } from './authorization-row.ts'
import { sealSuccessor } from './refresh-token.ts'

/** What is asked of a refresh token. */
export type Refresh = {
  token: string
  /** Null: what was allowed at first. */
  scope: readonly string[] | null
  application: Pick<Application, 'id' | 'refreshRotating' | 'refreshLeewaySeconds'>
  /** The audiences the application may still use; a family of another one waits until support gives it back. */
  audiences: readonly string[]
}

export type Refreshed = { authorization: Authorization; refreshToken: string }

/** Uses a live token up and puts its successor in its place; null when there was nothing to use up. */
export type RotateRefreshToken = (refresh: Refresh) => Promise<Refreshed | null>

/** Enough to keep the database busy while the next ones gather. Of one token one use goes with each group: the next finds it used. */
const GATHERING = { mostTogether: 64, mostUnderWay: 2, keyOf: ({ token }: Refresh) => token }

/**
 * Refreshes of the same moment are one statement and one commit, which is most of what a refresh costs. They never wait for
 * a token that is being used elsewhere: whoever meets one waits for it alone.
 */
export function createRotation(db: Db): RotateRefreshToken {
  const together = gatheredCalls((refreshes: readonly Refresh[]) => rotate(db, refreshes, 'skip locked'), GATHERING)
  return async (refresh) => (await together(refresh)) ?? (await rotate(db, [refresh], 'wait'))[0] ?? null
}

/**
 * One statement, which alone decides between uses of a token at the same moment, here or in another process. Every row is
 * looked up by its key (`offset 0` and the arrays keep it so), and the wishes come as JSON, whose number the planner never
 * knows: so one plan is kept and good for one refresh and for many, however large the tables are.
 */
async function rotate(
  db: Db,
  refreshes: readonly Refresh[],
  locked: 'skip locked' | 'wait',
): Promise<Array<Refreshed | null>> {
  const successors = refreshes.map(newOpaqueSecret)
  const asked = refreshes.map(({ token, scope, application, audiences }, position) => {
    const successor = successors[position] ?? ''
    const [tokenHash, successorHash, sealed] = byteaTexts([
      secretHash(token),
      secretHash(successor),
      application.refreshLeewaySeconds > 0 ? sealSuccessor(token, successor) : null,
    ])
    return {
      position,
      token_hash: tokenHash,
      successor_hash: successorHash,
      successor_sealed: sealed,
      leeway: application.refreshLeewaySeconds,
      application_id: application.id,
      asked_scope: scope,
      audiences,
    }
  })
  const rows = await db<Array<AuthorizationRow & { position: number }>>`
    with asked as (
      select * from jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb) as asked (
        position int, token_hash bytea, successor_hash bytea, successor_sealed bytea, leeway float8, application_id text,
        asked_scope text[], audiences text[]
      )
    ), held as (
      select asked.*, token.predecessor_hash, family.id as grant_id, family.user_id, family.scope, family.audience,
             family.sid, family.auth_time
      from asked
      cross join lateral (
        select family_id, predecessor_hash from refresh_tokens
        where token_hash = asked.token_hash and consumed_at is null
        for update ${locked === 'wait' ? db`` : db`skip locked`}
      ) as token
      cross join lateral (
        select * from refresh_families
        where id = token.family_id and application_id = asked.application_id and revoked_at is null and expires_at > now()
          and (asked_scope is null or scope @> asked_scope) and (audience is null or audience = any(asked.audiences))
        offset 0
      ) as family
    ), used as (
      update refresh_tokens
      set consumed_at = now(),
          (successor_sealed, successor_until) = (
            select held.successor_sealed, case when held.successor_sealed is not null then now() + make_interval(secs => leeway) end
            from held where held.token_hash = refresh_tokens.token_hash
          )
      where token_hash = any(array(select token_hash from held)) and consumed_at is null
      returning token_hash
    ), moved as (
      select * from held where (token_hash in (select token_hash from used)) is true
    ), born as (
      insert into refresh_tokens (token_hash, family_id, predecessor_hash)
      select successor_hash, grant_id, token_hash from moved
    ), settled as (
      -- The successor of the one before was used now: what a retry could have opened is erased.
      update refresh_tokens set successor_sealed = null, successor_until = null
      where token_hash = any(array(select predecessor_hash from moved)) and successor_sealed is not null
    )
    select position, grant_id, application_id, scope, audience, sid, auth_time, person.*
    from moved cross join lateral (
      select ${userColumns(db)} from users where users.id = moved.user_id and blocked_at is null offset 0
    ) as person`
  const moved = new Map(rows.map((row) => [row.position, row]))
  return successors.map((refreshToken, position) => {
    const row = moved.get(position)
    return row === undefined ? null : { authorization: authorizationFromRow(row), refreshToken }
  })
}
