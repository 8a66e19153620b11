import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AuditAction, AuditState, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { may, type TeamAction, type TeamRole } from './team.ts'
import { holdTeam } from './team-store.ts'

export type MemberOutcome =
  | 'done'
  /** Nobody of that id is in the team. */
  | 'unknown'
  /** A team keeps one owner at least. */
  | 'last-owner'
  /** Whoever asks lost the right to it since their page was opened. */
  | 'not-allowed'

/** The member of a team that is changed, and who asks for it. */
export type MemberChange = { teamId: string; memberId: string; askedBy: string }

type Held = { email: string; role: TeamRole }

export async function changeRole(db: Db, change: MemberChange, role: TeamRole, doing: Doing): Promise<MemberOutcome> {
  return changeMember(db, change, 'member.change', async (tx, member, others) => {
    if (member.role === role) return 'done'
    if (member.role === 'owner' && others === 0) return 'last-owner'
    await tx`
      update team_members set role = ${role} where team_id = ${change.teamId} and integrator_id = ${change.memberId}`
    await append(tx, change.teamId, 'member.role-changed', doing, state(member), { email: member.email, role })
    if (!may(role, 'member.invite')) await withdrawInvitationsBy(tx, change, doing)
    return 'done'
  })
}

export async function removeMember(db: Db, change: MemberChange, doing: Doing): Promise<MemberOutcome> {
  return changeMember(db, change, 'member.change', async (tx, member, others) => {
    if (member.role === 'owner' && others === 0) return 'last-owner'
    await deleteMember(tx, change)
    await append(tx, change.teamId, 'member.removed', doing, state(member), null)
    await withdrawInvitationsBy(tx, change, doing)
    return 'done'
  })
}

export async function leaveTeam(db: Db, teamId: string, integratorId: string, doing: Doing): Promise<MemberOutcome> {
  const change = { teamId, memberId: integratorId, askedBy: integratorId }
  return changeMember(db, change, 'team.leave', async (tx, member, others) => {
    if (member.role === 'owner' && others === 0) return 'last-owner'
    await deleteMember(tx, change)
    await append(tx, teamId, 'member.left', doing, state(member), null)
    return 'done'
  })
}

/**
 * The team is held while its members are counted: of two owners who step down at the same moment, one stays. The right of
 * whoever asks is looked up again under the same lock, because they may have lost it a moment ago.
 */
async function changeMember(
  db: Db,
  { teamId, memberId, askedBy }: MemberChange,
  action: TeamAction,
  act: (tx: DbOrTransaction, member: Held, otherOwners: number) => Promise<MemberOutcome>,
): Promise<MemberOutcome> {
  return transaction(db, async (tx) => {
    await holdTeam(tx, teamId)
    const rows = await tx<Array<Held & { id: string }>>`
      select integrators.id, email, role from team_members join integrators on integrators.id = integrator_id
      where team_id = ${teamId} and (role = 'owner' or integrator_id in (${memberId}, ${askedBy}))`
    const asks = rows.find(({ id }) => id === askedBy)
    if (asks === undefined || !may(asks.role, action)) return 'not-allowed'
    const member = rows.find(({ id }) => id === memberId)
    if (member === undefined) return 'unknown'
    return act(tx, member, rows.filter(({ id, role }) => role === 'owner' && id !== memberId).length)
  })
}

async function deleteMember(tx: DbOrTransaction, { teamId, memberId }: MemberChange): Promise<void> {
  await tx`delete from team_members where team_id = ${teamId} and integrator_id = ${memberId}`
}

/** Who may invite no more has no invitations standing: else they could come back by one to an address of their own. */
async function withdrawInvitationsBy(tx: DbOrTransaction, change: MemberChange, doing: Doing): Promise<void> {
  const withdrawn = await tx<Held[]>`
    delete from team_invitations where team_id = ${change.teamId} and invited_by = ${change.memberId}
    returning email, role`
  for (const invitation of withdrawn)
    await append(tx, change.teamId, 'invitation.withdrawn', doing, state(invitation), null)
}

function state({ email, role }: Held): AuditState {
  return { email, role }
}

async function append(
  tx: DbOrTransaction,
  teamId: string,
  action: AuditAction,
  { actor, requestId }: Doing,
  before: AuditState | null,
  after: AuditState | null,
): Promise<void> {
  await appendAudit(tx, { actor, action, teamId, applicationId: null, before, after, requestId })
}
