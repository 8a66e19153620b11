import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import type { Integrator } from '../integrators/integrator.ts'
import { foldLogin } from '../users/user.ts'
import { ownTeamName, type TeamRole } from './team.ts'
import { holdTeam, insertTeam } from './team-store.ts'

/** What a link that was mailed offers, as long as it is good. */
export type Offer = { teamId: string; teamName: string; role: TeamRole; email: string; invitedBy: string | null }

export async function findOffer(db: Db, secret: string): Promise<Offer | null> {
  const [row] = await db<
    Array<{ team_id: string; team_name: string; role: TeamRole; email: string; invited_by: string | null }>
  >`
    select team_id, teams.name as team_name, role, team_invitations.email, integrators.name as invited_by
    from team_invitations join teams on teams.id = team_id left join integrators on integrators.id = team_invitations.invited_by
    where secret_hash = ${secretHash(secret)} and expires_at > now()`
  if (!row) return null
  const { team_id: teamId, team_name: teamName, role, email, invited_by: invitedBy } = row
  return { teamId, teamName, role, email, invitedBy }
}

/** Whether the link was mailed to this person. */
export function isFor(offer: Pick<Offer, 'email'>, { email }: Integrator): boolean {
  return foldLogin(offer.email) === foldLogin(email)
}

/** Answers the team that was joined. Null when the link is not good any more, or is not this person's. */
export async function acceptInvitation(
  db: Db,
  integrator: Integrator,
  secret: string,
  doing: Doing,
): Promise<string | null> {
  return transaction(db, (tx) => joinBy(tx, integrator, secret, doing))
}

/** The team that invited a newcomer, or else one of their own. Part of making the account. */
export async function welcomeNewcomer(
  tx: DbOrTransaction,
  integrator: Integrator,
  invitation: string | null,
  doing: Doing,
): Promise<void> {
  const { name, email } = integrator
  const entry = { ...doing, action: 'account.created' as const, teamId: null, applicationId: null, before: null }
  await appendAudit(tx, { ...entry, after: { name, email } })
  const joined = invitation === null ? null : await joinBy(tx, integrator, invitation, doing)
  if (joined !== null) return
  await insertTeam(tx, { id: newId('tem'), name: ownTeamName(integrator.name), ownerId: integrator.id }, doing)
}

/** Deleting the invitation uses it up: of two at the same moment, one joins. Who is in the team already keeps their role. */
async function joinBy(
  tx: DbOrTransaction,
  integrator: Integrator,
  secret: string,
  { actor, requestId }: Doing,
): Promise<string | null> {
  const [known] = await tx<Array<{ team_id: string }>>`
    select team_id from team_invitations where secret_hash = ${secretHash(secret)}`
  if (!known) return null
  await holdTeam(tx, known.team_id)
  const [used] = await tx<Array<{ role: TeamRole }>>`
    delete from team_invitations
    where secret_hash = ${secretHash(secret)} and expires_at > now() and email_folded = ${foldLogin(integrator.email)}
    returning role`
  if (!used) return null
  const teamId = known.team_id
  const joined = await tx`
    insert into team_members (team_id, integrator_id, role) values (${teamId}, ${integrator.id}, ${used.role})
    on conflict do nothing returning 1`
  if (joined.length === 1) {
    const entry = { actor, action: 'member.joined' as const, teamId, applicationId: null, requestId }
    await appendAudit(tx, { ...entry, before: null, after: { email: integrator.email, role: used.role } })
  }
  return teamId
}
