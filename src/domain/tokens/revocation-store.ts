import type { DbOrTransaction } from '../../platform/db.ts'
import { revoke, revokeEach } from './revocations.ts'

/** Ends a refresh family, if there is one, and every access token that came of the same grant. */
export async function revokeGrant(tx: DbOrTransaction, grantId: string, because: string): Promise<void> {
  await tx`
    update refresh_families set revoked_at = now(), revoked_because = ${because}
    where id = ${grantId} and revoked_at is null`
  await revoke(tx, { grant: grantId })
}

/**
 * Ends what a person's applications hold, or one of them: codes, refresh tokens and, within a second, access tokens. Codes
 * come first: an exchange under way holds its code, so its refresh token is there to be seen when it is done.
 */
export async function revokePerson(
  tx: DbOrTransaction,
  { userId, applicationId }: { userId: string; applicationId: string | null },
  because: string,
): Promise<void> {
  await tx`
    update authorization_codes set expires_at = now()
    where user_id = ${userId} and (${applicationId}::text is null or application_id = ${applicationId})
      and consumed_at is null and expires_at > now()`
  await tx`
    update refresh_families set revoked_at = now(), revoked_because = ${because}
    where user_id = ${userId} and (${applicationId}::text is null or application_id = ${applicationId})
      and revoked_at is null`
  await revoke(tx, applicationId === null ? { user: userId } : { user: userId, application: applicationId })
}

/** As `revokePerson`, of many people and at every application. */
export async function revokePeople(tx: DbOrTransaction, userIds: readonly string[], because: string): Promise<void> {
  await tx`
    update authorization_codes set expires_at = now()
    where user_id = any(${userIds}) and consumed_at is null and expires_at > now()`
  await tx`
    update refresh_families set revoked_at = now(), revoked_because = ${because}
    where user_id = any(${userIds}) and revoked_at is null`
  await revokeEach(tx, userIds)
}
