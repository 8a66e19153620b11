import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { userColumns } from '../users/user-store.ts'
import type { Authorization } from './authorization.ts'
import {
  CODE_LIFETIME_SECONDS,
  type CodeVerdict,
  type IssuedCode,
  judgeCode,
  type Presented,
} from './authorization-code.ts'
import { type AuthorizationRow, authorizationFromRow } from './authorization-row.ts'
import { startFamily } from './refresh-token-store.ts'
import { revokeGrant } from './revocation-store.ts'

export type NewCode = Omit<Authorization, 'user'> & {
  userId: string
  redirectUri: string | null
  nonce: string | null
  codeChallenge: string | null
}

export async function insertCode(db: DbOrTransaction, code: NewCode): Promise<string> {
  const secret = newOpaqueSecret()
  await db`
    insert into authorization_codes (
      code_hash, grant_id, application_id, user_id, redirect_uri, scope, audience, nonce, code_challenge, sid, auth_time, expires_at
    ) values (
      ${secretHash(secret)}, ${code.grantId}, ${code.applicationId}, ${code.userId}, ${code.redirectUri}, ${code.scope},
      ${code.audience}, ${code.nonce}, ${code.codeChallenge}, ${code.sid}, ${code.authTime},
      now() + make_interval(secs => ${CODE_LIFETIME_SECONDS})
    )`
  return secret
}

export type Redemption =
  | { verdict: 'valid'; authorization: Authorization; nonce: string | null; refreshToken: string | null }
  | { verdict: Exclude<CodeVerdict, 'valid'> }

export type CodeExchange = Presented & { code: string; refreshLifetimeSeconds: number }

/**
 * One exchange. What is wrong with it leaves the code as it was, for its rightful owner; the consuming statement is the one
 * that decides between exchanges at the same moment. A second use revokes all that the first one gave (RFC 6749 4.1.2).
 */
export async function redeemCode(db: Db, exchange: CodeExchange): Promise<Redemption> {
  const hash = secretHash(exchange.code)
  const verdict = judgeCode(await readCode(db, hash), exchange)
  const outcome: Redemption = verdict === 'valid' ? await consume(db, hash, exchange) : { verdict }
  if (outcome.verdict === 'reused') await revokeReused(db, hash)
  return outcome
}

async function readCode(db: Db, hash: Buffer): Promise<IssuedCode | null> {
  const [row] = await db<
    Array<{
      grant_id: string
      application_id: string
      redirect_uri: string | null
      code_challenge: string | null
      consumed: boolean
      expired: boolean
    }>
  >`
    select grant_id, application_id, redirect_uri, code_challenge, consumed_at is not null as consumed, expires_at <= now() as expired
    from authorization_codes where code_hash = ${hash}`
  if (!row) return null
  return {
    grantId: row.grant_id,
    applicationId: row.application_id,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    consumed: row.consumed,
    expired: row.expired,
  }
}

function consume(db: Db, hash: Buffer, { refreshLifetimeSeconds }: CodeExchange): Promise<Redemption> {
  return transaction(db, async (tx) => {
    const [row] = await tx<Array<AuthorizationRow & { nonce: string | null }>>`
      with used as (
        update authorization_codes set consumed_at = now()
        where code_hash = ${hash} and consumed_at is null and expires_at > now()
        returning grant_id, application_id, user_id, scope, audience, nonce, sid, auth_time
      )
      select used.*, ${userColumns(tx)} from used join users on users.id = used.user_id and users.blocked_at is null`
    if (!row) return { verdict: 'reused' }
    const authorization = authorizationFromRow(row)
    const offline = authorization.scope.includes('offline_access')
    const refreshToken = offline ? await startFamily(tx, authorization, refreshLifetimeSeconds) : null
    return { verdict: 'valid', authorization, nonce: row.nonce, refreshToken }
  })
}

async function revokeReused(db: Db, hash: Buffer): Promise<void> {
  await transaction(db, async (tx) => {
    const [row] = await tx<
      Array<{ grant_id: string }>
    >`select grant_id from authorization_codes where code_hash = ${hash}`
    if (row) await revokeGrant(tx, row.grant_id, 'code used twice')
  })
}

/** A used code is kept for a day, so that a second use is known for what it is. */
export async function forgetOldCodes(db: Db): Promise<void> {
  await db`
    delete from authorization_codes where code_hash in
      (select code_hash from authorization_codes where expires_at < now() - interval '1 day' order by expires_at limit 5000)`
}
