import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import type { FacilityViewer } from './visible-facility-store.ts'

/** A facility as people know it. */
export type NamedFacility = { id: string; name: string }

/** The first of those that a viewer may see, by name, and how many there are (decision C5). */
export async function facilitiesToChoose(
  db: DbOrTransaction,
  { environment, applicationId, userId }: FacilityViewer,
  limit: number,
): Promise<{ facilities: NamedFacility[]; count: number }> {
  const links =
    userId === null
      ? db`facility_connections as link where link.application_id = ${applicationId}`
      : db`facility_access as link where link.user_id = ${userId}`
  const seen = db`select facility_id from ${links} and link.environment = ${environment}`
  const facilities = await db<NamedFacility[]>`
    select id, name from facilities where environment = ${environment} and id in (${seen}) order by name, id limit ${limit}`
  const [row] = await db<Array<{ count: number }>>`select count(*)::int as count from (${seen}) as seen`
  return { facilities: facilities.map(({ id, name }) => ({ id, name })), count: row?.count ?? 0 }
}

/** In the order of the ids; who has no name here is called by their id. */
export async function nameFacilities(
  db: DbOrTransaction,
  environment: Environment,
  ids: readonly string[],
): Promise<NamedFacility[]> {
  const rows = await db<NamedFacility[]>`
    select id, name from facilities where environment = ${environment} and id = any(${ids}::text[])`
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return ids.map((id) => ({ id, name: names.get(id) ?? id }))
}
