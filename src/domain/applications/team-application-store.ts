import type { Db, DbOrTransaction } from '../../platform/db.ts'
import type { Doing } from '../audit/audit.ts'
import { holdRight } from '../teams/right-store.ts'
import type { TeamAction } from '../teams/team.ts'
import type { Application, ApplicationType } from './application.ts'
import { findApplication } from './application-store.ts'

/** An application that is not deleted and that this team owns; for everybody else it does not exist. */
export async function findTeamApplication(
  db: DbOrTransaction,
  teamId: string,
  applicationId: string,
): Promise<Application | null> {
  const owned = await db`
    select 1 from applications where id = ${applicationId} and team_id = ${teamId} and deleted_at is null`
  return owned.length === 0 ? null : findApplication(db, applicationId)
}

/**
 * As `findTeamApplication`, and changes of it go through here one after the other. Tokens may still refer to it meanwhile.
 * For who lost the right to the change since their page was opened, it does not exist either.
 */
export async function holdTeamApplication(
  tx: DbOrTransaction,
  { teamId, applicationId }: { teamId: string; applicationId: string },
  doing: Doing,
  action: TeamAction,
): Promise<Application | null> {
  if (!(await holdRight(tx, teamId, doing, action))) return null
  await tx`
    select 1 from applications where id = ${applicationId} and team_id = ${teamId} and deleted_at is null
    for no key update`
  return findTeamApplication(tx, teamId, applicationId)
}

export type ListedApplication = {
  id: string
  name: string
  type: ApplicationType
  suspended: boolean
  createdAt: Date
  /** When one of its secrets was last used; null for never, and for who has none. */
  lastUsedAt: Date | null
}

/** Newest first, from `before` on backwards. `older` is the cursor of the next page. */
export async function applicationsOfTeam(
  db: Db,
  teamId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<{ applications: ListedApplication[]; older: string | null }> {
  const rows = await db<
    Array<{
      id: string
      name: string
      type: ApplicationType
      suspended: boolean
      created_at: Date
      last_used_at: Date | null
    }>
  >`
    select id, name, type, suspended_at is not null as suspended, created_at,
           (select max(last_used_at) from application_secrets s
            where s.application_id = applications.id and s.revoked_at is null) as last_used_at
    from applications
    where team_id = ${teamId} and deleted_at is null ${before === null ? db`` : db`and id < ${before}`}
    order by id desc limit ${limit + 1}`
  const applications = rows.slice(0, limit).map((row) => ({
    id: row.id,
    name: row.name,
    type: row.type,
    suspended: row.suspended,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
  return { applications, older: rows.length > limit ? (applications.at(-1)?.id ?? null) : null }
}
