import type { DbOrTransaction } from '../../platform/db.ts'

/** Whose these applications are (decision E1). One that has a team keeps it. */
export async function giveToTeam(
  tx: DbOrTransaction,
  teamId: string,
  applicationIds: readonly string[],
): Promise<void> {
  await tx`update applications set team_id = ${teamId} where id = any(${applicationIds}) and team_id is null`
}
