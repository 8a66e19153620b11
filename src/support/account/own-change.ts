import type { AuditAction, AuditState } from '../../domain/audit/audit.ts'
import { appendAudit } from '../../domain/audit/audit-store.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { AtDesk } from '../threshold/visit.ts'

/** What staff do to their own account is about no team. */
export async function noteOwnChange(
  tx: DbOrTransaction,
  { doing }: AtDesk,
  action: AuditAction,
  before: AuditState | null,
  after: AuditState | null,
): Promise<void> {
  await appendAudit(tx, { ...doing, action, teamId: null, applicationId: null, before, after })
}
