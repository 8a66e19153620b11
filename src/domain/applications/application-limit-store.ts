import type { DbOrTransaction } from '../../platform/db.ts'

/** Of a team. Deleted ones that can be restored have a limit of their own, or making and deleting would go on for ever. */
export const MOST_APPLICATIONS = 100
export const MOST_WITH_DELETED = 200

/** Whether there is room for another one, and if not, of what there are too many. */
export type Room = 'room' | 'too-many' | 'too-many-deleted'

/** Asked while the team is held, so that two at the same moment are counted one after the other. */
export async function roomFor(tx: DbOrTransaction, teamId: string, another: 'new' | 'restored'): Promise<Room> {
  const [row] = await tx<[{ live: number; all: number }]>`
    select count(*) filter (where deleted_at is null)::int as live, count(*)::int as all
    from applications where team_id = ${teamId}`
  if (row.live >= MOST_APPLICATIONS) return 'too-many'
  return another === 'new' && row.all >= MOST_WITH_DELETED ? 'too-many-deleted' : 'room'
}
