import type { DbOrTransaction } from '../../platform/db.ts'
import { forgetConsents } from '../consents/consent-store.ts'
import { endSignIns, forgetBrowsersOf } from '../sessions/end-sign-ins-store.ts'
import { revokePeople } from '../tokens/revocation-store.ts'
import { clearCredentials } from '../users/person-upsert-store.ts'

/** Sessions, sign-ins under way, links, codes, refresh tokens and, within a second on every process, access tokens. */
export async function endAccess(tx: DbOrTransaction, userIds: readonly string[], because: string): Promise<void> {
  if (userIds.length === 0) return
  await endSignIns(tx, userIds)
  await revokePeople(tx, userIds, because)
}

/** As `endAccess`, and whoever held the account until now has no way back in: no password, second factor, consent or known browser. */
export async function endEverything(tx: DbOrTransaction, userIds: readonly string[], because: string): Promise<void> {
  if (userIds.length === 0) return
  await endAccess(tx, userIds, because)
  await clearCredentials(tx, userIds)
  await forgetConsents(tx, userIds)
  await forgetBrowsersOf(tx, userIds)
}
