import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import { facilitiesOfApplication, facilitiesOfUser } from './facility-store.ts'

/** Who looks: a person, or an application for itself. */
export type FacilityViewer = { environment: Environment; applicationId: string; userId: string | null }

/** A person sees what they have access to, an application what is connected to it (decision C5). */
export async function visibleFacilities(db: DbOrTransaction, viewer: FacilityViewer): Promise<string[]> {
  const { environment, applicationId, userId } = viewer
  return userId === null
    ? facilitiesOfApplication(db, environment, applicationId)
    : facilitiesOfUser(db, environment, userId)
}

/** Which of these are not there or not for this viewer; the two look alike. */
export async function invisibleFacilities(
  db: DbOrTransaction,
  { environment, applicationId, userId }: FacilityViewer,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db<Array<{ id: string }>>`
    select id from unnest(${ids}::text[]) as given (id) where not exists (
      ${
        userId === null
          ? db`select 1 from facility_connections where application_id = ${applicationId}
                 and environment = ${environment} and facility_id = given.id`
          : db`select 1 from facility_access where user_id = ${userId}
                 and environment = ${environment} and facility_id = given.id`
      })`
  return new Set(rows.map(({ id }) => id))
}
