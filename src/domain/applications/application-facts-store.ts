import type { Db } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'

/** What support needs to know of an application beside its settings. */
export type ApplicationFacts = {
  team: { id: string; name: string } | null
  createdAt: Date
  suspendedAt: Date | null
  webhooks: Array<{ environment: Environment; all: number; disabled: number }>
}

/** An application of many people can have any number of webhooks; beyond this they are not counted. */
export const MOST_COUNTED = 10_000

/** Null when there is no such application any more. */
export async function findApplicationFacts(db: Db, id: string): Promise<ApplicationFacts | null> {
  const [[row], webhooks] = await Promise.all([
    db<Array<{ team_id: string | null; team_name: string | null; created_at: Date; suspended_at: Date | null }>>`
      select team_id, teams.name as team_name, applications.created_at, suspended_at
      from applications left join teams on teams.id = team_id where applications.id = ${id} and deleted_at is null`,
    db<Array<{ environment: Environment; all: number; disabled: number }>>`
      select environment, count(*)::int as all, (count(*) filter (where disabled_because is not null))::int as disabled
      from (select environment, disabled_because from webhooks where application_id = ${id} limit ${MOST_COUNTED}) as counted
      group by environment order by environment`,
  ])
  if (!row) return null
  const team = row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name }
  return { team, createdAt: row.created_at, suspendedAt: row.suspended_at, webhooks: [...webhooks] }
}
