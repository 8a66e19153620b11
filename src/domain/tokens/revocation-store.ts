import type { DbOrTransaction } from '../../platform/db.ts'
import { revoke } from './revocations.ts'

/** Ends a refresh family, if there is one, and every access token that came of the same grant. */
export async function revokeGrant(tx: DbOrTransaction, grantId: string, because: string): Promise<void> {
  await tx`
    update refresh_families set revoked_at = now(), revoked_because = ${because}
    where id = ${grantId} and revoked_at is null`
  await revoke(tx, { grant: grantId })
}
