import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { findApplication } from '../applications/application-store.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { applySupportSetting } from './apply-setting-store.ts'
import type { SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'
import { settingState } from './support-setting.ts'

export type AnswerOutcome =
  /** `asker` is whom to write to; null when they are no member of the team any more. */
  | { outcome: 'done'; asker: string | null; teamId: string; applicationId: string; setting: SupportSetting }
  | { outcome: 'unknown' }
  /** Somebody else was quicker, or it was withdrawn. */
  | { outcome: 'not-open' }
  /** Deleted since; it can be answered when it is restored. */
  | { outcome: 'no-application' }

/**
 * An answer of support. Approving carries the setting out in the same transaction. The application is held before the request:
 * whoever changes a setting does so in this order.
 */
export async function answerRequest(
  db: Db,
  { id, verdict, answer, by }: { id: string; verdict: 'approved' | 'denied'; answer: string | null; by: string },
  { actor, requestId }: Doing,
): Promise<AnswerOutcome> {
  return transaction(db, async (tx): Promise<AnswerOutcome> => {
    const [known] = await tx<Array<{ application_id: string }>>`
      select application_id from support_requests where id = ${id}`
    if (!known) return { outcome: 'unknown' }
    await tx`select 1 from applications where id = ${known.application_id} for update`
    const application = await findApplication(tx, known.application_id)
    if (application === null) return { outcome: 'no-application' }
    const [row] = await tx<
      Array<{ team_id: string; setting: SupportSetting; wanted: SupportChange; asker: string | null }>
    >`
      update support_requests set state = ${verdict}, answer = ${answer}, answered_by = ${by}, answered_at = now()
      where id = ${id} and state = 'open'
      returning team_id, setting, wanted,
        (select email from integrators join team_members on integrator_id = integrators.id
         where integrators.id = asked_by and team_members.team_id = support_requests.team_id) as asker`
    if (!row) return { outcome: 'not-open' }
    const { team_id: teamId, setting, wanted, asker } = row
    const note = answer === null ? {} : { answer }
    const entry = { actor, teamId, applicationId: application.id, requestId }
    if (verdict === 'approved') {
      const applied = await applySupportSetting(tx, application.id, setting, wanted)
      const after = { ...applied?.after, ...note }
      await appendAudit(tx, { ...entry, action: 'support.approved', before: applied?.before ?? null, after })
    } else {
      const asked = settingState(setting, { ...application, ...wanted })
      await appendAudit(tx, { ...entry, action: 'support.denied', before: null, after: { ...asked, ...note } })
    }
    return { outcome: 'done', asker, teamId, applicationId: application.id, setting }
  })
}
