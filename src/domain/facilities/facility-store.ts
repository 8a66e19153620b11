import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import type { Facility, FacilityRef } from './facility.ts'

export async function upsertFacility(db: DbOrTransaction, facility: Facility): Promise<void> {
  await db`
    insert into facilities (environment, id, name, city, state)
    values (${facility.environment}, ${facility.id}, ${facility.name}, ${facility.city}, ${facility.state})
    on conflict (environment, id) do update
      set name = excluded.name, city = excluded.city, state = excluded.state`
}

export async function grantAccess(db: DbOrTransaction, facility: FacilityRef, userId: string): Promise<void> {
  await db`
    insert into facility_access (environment, facility_id, user_id)
    values (${facility.environment}, ${facility.id}, ${userId})
    on conflict do nothing`
}

export async function connectApplication(
  db: DbOrTransaction,
  facility: FacilityRef,
  applicationId: string,
): Promise<void> {
  await db`
    insert into facility_connections (environment, facility_id, application_id)
    values (${facility.environment}, ${facility.id}, ${applicationId})
    on conflict do nothing`
}

export async function facilitiesOfUser(
  db: DbOrTransaction,
  environment: Environment,
  userId: string,
): Promise<string[]> {
  const rows = await db<Array<{ id: string }>>`
    select facility_id as id from facility_access
    where user_id = ${userId} and environment = ${environment}
    order by facility_id`
  return rows.map((row) => row.id)
}

export async function facilitiesOfApplication(
  db: DbOrTransaction,
  environment: Environment,
  applicationId: string,
): Promise<string[]> {
  const rows = await db<Array<{ id: string }>>`
    select facility_id as id from facility_connections
    where application_id = ${applicationId} and environment = ${environment}
    order by facility_id`
  return rows.map((row) => row.id)
}
