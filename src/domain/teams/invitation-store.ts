import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { foldLogin } from '../users/user.ts'
import { MOST_IN_A_TEAM, type TeamRole } from './team.ts'
import { holdTeam } from './team-store.ts'

export const INVITATION_SECONDS = 7 * 24 * 3_600

export type Invitation = {
  id: string
  email: string
  role: TeamRole
  createdAt: Date
  expiresAt: Date
  expired: boolean
}

/** `secret` goes into the mailed link and is stored nowhere. */
export type InviteOutcome =
  | { outcome: 'invited'; secret: string }
  | { outcome: 'member-already' | 'invited-already' | 'team-full' | 'not-allowed' }

export async function inviteMember(
  db: Db,
  { teamId, email, role, invitedBy }: { teamId: string; email: string; role: TeamRole; invitedBy: string },
  { actor, requestId }: Doing,
): Promise<InviteOutcome> {
  return transaction(db, async (tx): Promise<InviteOutcome> => {
    await holdTeam(tx, teamId)
    if (!(await isOwner(tx, teamId, invitedBy))) return { outcome: 'not-allowed' }
    const folded = foldLogin(email)
    const member = await tx`
      select 1 from team_members join integrators on integrators.id = integrator_id
      where team_id = ${teamId} and email_folded = ${folded}`
    if (member.length > 0) return { outcome: 'member-already' }
    const [row] = await tx<[{ count: number }]>`
      select (select count(*) from team_members where team_id = ${teamId})::int
           + (select count(*) from team_invitations where team_id = ${teamId})::int as count`
    if (row.count >= MOST_IN_A_TEAM) return { outcome: 'team-full' }
    const secret = newOpaqueSecret()
    const inserted = await tx`
      insert into team_invitations (id, team_id, email, email_folded, role, secret_hash, invited_by, expires_at)
      values (${newId('tin')}, ${teamId}, ${email}, ${folded}, ${role}, ${secretHash(secret)}, ${invitedBy},
              now() + make_interval(secs => ${INVITATION_SECONDS}))
      on conflict (team_id, email_folded) do nothing returning 1`
    if (inserted.length === 0) return { outcome: 'invited-already' }
    const entry = { actor, action: 'member.invited' as const, teamId, applicationId: null, requestId }
    await appendAudit(tx, { ...entry, before: null, after: { email, role } })
    return { outcome: 'invited', secret }
  })
}

/** Expired ones are shown until they are forgotten, so that somebody sees that they were not taken up. */
export async function invitationsOf(db: Db, teamId: string): Promise<Invitation[]> {
  const rows = await db<
    Array<{ id: string; email: string; role: TeamRole; created_at: Date; expires_at: Date; expired: boolean }>
  >`
    select id, email, role, created_at, expires_at, expires_at <= now() as expired
    from team_invitations where team_id = ${teamId} order by created_at, id`
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    expired: row.expired,
  }))
}

type ChangedInvitation = { teamId: string; invitationId: string; askedBy: string }

export async function findInvitation(db: Db, teamId: string, id: string): Promise<{ email: string } | null> {
  const [row] = await db<Array<{ email: string }>>`
    select email from team_invitations where id = ${id} and team_id = ${teamId}`
  return row ? { email: row.email } : null
}

/** Another link for seven days; the one before works no more. Null when it is not there any more. */
export async function renewInvitation(
  db: Db,
  { teamId, invitationId, askedBy }: ChangedInvitation,
  { actor, requestId }: Doing,
): Promise<{ secret: string; email: string } | null> {
  const secret = newOpaqueSecret()
  return transaction(db, async (tx) => {
    await holdTeam(tx, teamId)
    if (!(await isOwner(tx, teamId, askedBy))) return null
    const [row] = await tx<Array<{ email: string; role: TeamRole }>>`
      update team_invitations set secret_hash = ${secretHash(secret)},
        expires_at = now() + make_interval(secs => ${INVITATION_SECONDS})
      where id = ${invitationId} and team_id = ${teamId} returning email, role`
    if (!row) return null
    const entry = { actor, action: 'invitation.sent-again' as const, teamId, applicationId: null, requestId }
    await appendAudit(tx, { ...entry, before: null, after: { email: row.email, role: row.role } })
    return { secret, email: row.email }
  })
}

export async function withdrawInvitation(
  db: Db,
  { teamId, invitationId, askedBy }: ChangedInvitation,
  { actor, requestId }: Doing,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await holdTeam(tx, teamId)
    if (!(await isOwner(tx, teamId, askedBy))) return false
    const [row] = await tx<Array<{ email: string; role: TeamRole }>>`
      delete from team_invitations where id = ${invitationId} and team_id = ${teamId} returning email, role`
    if (!row) return false
    const entry = { actor, action: 'invitation.withdrawn' as const, teamId, applicationId: null, requestId }
    await appendAudit(tx, { ...entry, before: { email: row.email, role: row.role }, after: null })
    return true
  })
}

/** A month after it expired nobody wonders any more. */
export async function forgetOldInvitations(db: Db): Promise<void> {
  await db`
    delete from team_invitations where id in
      (select id from team_invitations where expires_at < now() - interval '30 days' order by expires_at limit 5000)`
}

/** Asked under the team's lock: a right that was lost a moment ago is no right. */
async function isOwner(tx: DbOrTransaction, teamId: string, integratorId: string): Promise<boolean> {
  const found = await tx`
    select 1 from team_members where team_id = ${teamId} and integrator_id = ${integratorId} and role = 'owner'`
  return found.length === 1
}
