import type { AuditAction, AuditState } from '../../domain/audit/audit.ts'
import { appendAudit } from '../../domain/audit/audit-store.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { SignedIn } from '../threshold/visit.ts'

/** What people do to their own account is no team's to read. */
export async function noteOwnChange(
  tx: DbOrTransaction,
  { doing }: SignedIn,
  action: AuditAction,
  before: AuditState | null,
  after: AuditState | null,
): Promise<void> {
  await appendAudit(tx, { ...doing, action, teamId: null, applicationId: null, before, after })
}
