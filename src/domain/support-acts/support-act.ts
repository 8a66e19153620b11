import type { DbOrTransaction } from '../../platform/db.ts'
import type { AuditAction, AuditState, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'

/** Who of support is at it, and why. There is no act without a reason. */
export type SupportAct = Doing & { reason: string }

/** The account that something is done to, a person's or an integrator's. */
export type TouchedAccount = { id: string; email: string }

/** An entry that the account's own page finds again (`auditAbout`). It is about no team. */
export async function noteAccountAct(
  tx: DbOrTransaction,
  { actor, requestId, reason }: SupportAct,
  action: AuditAction,
  { id, email }: TouchedAccount,
  { applicationId = null, more = {} }: { applicationId?: string | null; more?: AuditState } = {},
): Promise<void> {
  const after = { email, account: id, ...more, reason }
  await appendAudit(tx, { actor, action, teamId: null, applicationId, before: null, after, requestId })
}
