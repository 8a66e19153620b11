import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AuditAction, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { applySupportSetting } from './apply-setting-store.ts'
import type { SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'

/** `changed` is false when it was so already: then nothing is written down. */
export type SetOutcome = { outcome: 'done'; changed: boolean } | { outcome: 'no-application' }

/** A change by support itself, which nobody asked for in the portal; the team reads the reason in its log. */
export async function setBySupport(
  db: Db,
  change: { applicationId: string; setting: SupportSetting; wanted: SupportChange; reason: string },
  { actor, requestId }: Doing,
): Promise<SetOutcome> {
  const { applicationId, setting, wanted, reason } = change
  return transaction(db, async (tx): Promise<SetOutcome> => {
    const [row] = await tx<Array<{ team_id: string | null }>>`
      select team_id from applications where id = ${applicationId} for update`
    const applied = await applySupportSetting(tx, applicationId, setting, wanted)
    if (applied === null || !row) return { outcome: 'no-application' }
    const { before, after } = applied
    if (JSON.stringify(before) === JSON.stringify(after)) return { outcome: 'done', changed: false }
    const entry = { actor, action: actionOf(setting, wanted), teamId: row.team_id, applicationId, requestId }
    await appendAudit(tx, { ...entry, before, after: { ...after, reason } })
    return { outcome: 'done', changed: true }
  })
}

function actionOf(setting: SupportSetting, { suspended }: SupportChange): AuditAction {
  if (setting !== 'suspension') return 'support.set'
  return suspended === true ? 'application.suspended' : 'application.unsuspended'
}
