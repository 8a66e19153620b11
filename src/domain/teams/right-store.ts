import type { DbOrTransaction } from '../../platform/db.ts'
import type { Doing } from '../audit/audit.ts'
import { may, type TeamAction, type TeamRole } from './team.ts'

/**
 * Asked in the transaction of a change, before anything but the team is held: a right that was lost a moment ago is no right,
 * and who takes it away waits until the change is made. Who is no integrator has their right from elsewhere.
 */
export async function holdRight(
  tx: DbOrTransaction,
  teamId: string,
  { actor }: Doing,
  action: TeamAction,
): Promise<boolean> {
  if (actor.kind !== 'integrator') return true
  const [row] = await tx<Array<{ role: TeamRole }>>`
    select role from team_members where team_id = ${teamId} and integrator_id = ${actor.id} for share`
  return row !== undefined && may(row.role, action)
}
