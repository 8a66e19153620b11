import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { holdRight } from './right-store.ts'
import { type Member, type Membership, MOST_TEAMS, type Team, type TeamRole } from './team.ts'

/** Made together with its first owner, so that no team is ever without one. */
export async function insertTeam(
  tx: DbOrTransaction,
  { id, name, ownerId }: Team & { ownerId: string },
  { actor, requestId }: Doing,
): Promise<void> {
  await tx`insert into teams (id, name) values (${id}, ${name})`
  await tx`insert into team_members (team_id, integrator_id, role) values (${id}, ${ownerId}, 'owner')`
  const entry = { actor, action: 'team.created' as const, teamId: id, applicationId: null, requestId }
  await appendAudit(tx, { ...entry, before: null, after: { name } })
}

/** Null when the integrator is in too many teams already. */
export async function createTeam(db: Db, ownerId: string, name: string, doing: Doing): Promise<string | null> {
  return transaction(db, async (tx) => {
    // Held, so that two at the same moment are counted one after the other.
    await tx`select 1 from integrators where id = ${ownerId} for update`
    const [row] = await tx<[{ count: number }]>`
      select count(*)::int as count from team_members where integrator_id = ${ownerId}`
    if (row.count >= MOST_TEAMS) return null
    const id = newId('tem')
    await insertTeam(tx, { id, name, ownerId }, doing)
    return id
  })
}

/** The oldest membership first. */
export async function teamsOf(db: DbOrTransaction, integratorId: string): Promise<Membership[]> {
  const rows = await db<Membership[]>`
    select teams.id, teams.name, role from team_members join teams on teams.id = team_id
    where integrator_id = ${integratorId} order by joined_at, teams.id`
  return rows.map(({ id, name, role }) => ({ id, name, role }))
}

export async function findTeam(db: DbOrTransaction, id: string): Promise<Team | null> {
  const [row] = await db<Team[]>`select id, name from teams where id = ${id}`
  return row ? { id: row.id, name: row.name } : null
}

export async function membersOf(db: Db, teamId: string): Promise<Member[]> {
  const rows = await db<
    Array<{ id: string; name: string; email: string; role: TeamRole; joined_at: Date; two_factor: boolean }>
  >`
    select integrators.id, integrators.name, email, role, joined_at,
           exists (select 1 from integrator_totp_secrets totp where totp.integrator_id = integrators.id) as two_factor
    from team_members join integrators on integrators.id = integrator_id
    where team_id = ${teamId} order by joined_at, integrators.id`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    joinedAt: row.joined_at,
    twoFactor: row.two_factor,
  }))
}

export async function renameTeam(db: Db, teamId: string, name: string, doing: Doing): Promise<void> {
  const { actor, requestId } = doing
  await transaction(db, async (tx) => {
    const before = await holdTeam(tx, teamId)
    if (before === null || before === name || !(await holdRight(tx, teamId, doing, 'team.rename'))) return
    await tx`update teams set name = ${name} where id = ${teamId}`
    const entry = { actor, action: 'team.renamed' as const, teamId, applicationId: null, requestId }
    await appendAudit(tx, { ...entry, before: { name: before }, after: { name } })
  })
}

/** Changes of who is in a team, and as what, go through here one after the other. Answers its name. */
export async function holdTeam(tx: DbOrTransaction, teamId: string): Promise<string | null> {
  const [row] = await tx<Array<{ name: string }>>`select name from teams where id = ${teamId} for update`
  return row?.name ?? null
}
