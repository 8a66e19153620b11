import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { transaction } from '../../platform/transaction.ts'
import { findTeamApplication } from '../applications/team-application-store.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { may, type TeamRole } from '../teams/team.ts'
import { holdTeam } from '../teams/team-store.ts'
import type { SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'
import { MOST_REQUESTS_A_DAY } from './support-request.ts'
import { settingState } from './support-setting.ts'

export type NewRequest = {
  teamId: string
  applicationId: string
  askedBy: string
  setting: SupportSetting
  wanted: SupportChange
  reason: string
}

export type AskOutcome =
  | { outcome: 'asked'; id: string }
  /** One at a time for each setting of an application. */
  | { outcome: 'open-already' }
  /** It is so already. */
  | { outcome: 'nothing-to-change' }
  | { outcome: 'too-many' }
  /** Not the team's, or deleted. */
  | { outcome: 'no-application' }
  /** Whoever asks lost the right to it since their page was opened. */
  | { outcome: 'not-allowed' }

export async function askSupport(db: Db, request: NewRequest, { actor, requestId }: Doing): Promise<AskOutcome> {
  const { teamId, applicationId, askedBy, setting, wanted, reason } = request
  return transaction(db, async (tx): Promise<AskOutcome> => {
    if (!(await mayAsk(tx, teamId, askedBy))) return { outcome: 'not-allowed' }
    const application = await findTeamApplication(tx, teamId, applicationId)
    if (application === null) return { outcome: 'no-application' }
    const before = settingState(setting, application)
    const after = settingState(setting, { ...application, ...wanted })
    if (JSON.stringify(before) === JSON.stringify(after)) return { outcome: 'nothing-to-change' }
    const [row] = await tx<[{ count: number }]>`
      select count(*)::int as count from support_requests
      where application_id = ${applicationId} and created_at > now() - interval '1 day'`
    if (row.count >= MOST_REQUESTS_A_DAY) return { outcome: 'too-many' }
    const id = newId('sup')
    const inserted = await tx`
      insert into support_requests (id, application_id, team_id, asked_by, setting, wanted, reason)
      values (${id}, ${applicationId}, ${teamId}, ${askedBy}, ${setting}, ${tx.json(wanted)}, ${reason})
      on conflict (application_id, setting) where state = 'open' do nothing returning 1`
    if (inserted.length === 0) return { outcome: 'open-already' }
    const entry = { actor, action: 'support.asked' as const, teamId, applicationId, requestId }
    await appendAudit(tx, { ...entry, before, after: { ...after, reason } })
    return { outcome: 'asked', id }
  })
}

/** Any member who may ask may take it back; who asked may have left. False when it is not open any more. */
export async function withdrawRequest(
  db: Db,
  { teamId, applicationId, id, askedBy }: { teamId: string; applicationId: string; id: string; askedBy: string },
  { actor, requestId }: Doing,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    if (!(await mayAsk(tx, teamId, askedBy))) return false
    const application = await findTeamApplication(tx, teamId, applicationId)
    if (application === null) return false
    const [row] = await tx<Array<{ setting: SupportSetting; wanted: SupportChange }>>`
      update support_requests set state = 'withdrawn', answered_at = now()
      where id = ${id} and application_id = ${applicationId} and team_id = ${teamId} and state = 'open'
      returning setting, wanted`
    if (!row) return false
    const entry = { actor, action: 'support.withdrawn' as const, teamId, applicationId, requestId }
    const before = settingState(row.setting, { ...application, ...row.wanted })
    await appendAudit(tx, { ...entry, before, after: null })
    return true
  })
}

/** Asked under the team's lock: a right that was lost a moment ago is no right. */
async function mayAsk(tx: DbOrTransaction, teamId: string, integratorId: string): Promise<boolean> {
  await holdTeam(tx, teamId)
  const [row] = await tx<Array<{ role: TeamRole }>>`
    select role from team_members where team_id = ${teamId} and integrator_id = ${integratorId}`
  return row !== undefined && may(row.role, 'support.ask')
}
