import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Environment } from '../environment.ts'
import type { Facility } from './facility.ts'
import { facilityAfter, type KnownFacility, type SaidFacility } from './said-facility.ts'

type FacilityRow = { id: string; name: string; city: string | null; state: string | null; created_at: Date }

export type UpsertedFacility = { facility: KnownFacility; isNew: boolean }

/** All or none, in the order they came. No id may be there twice. */
export function upsertFacilities(
  db: Db,
  environment: Environment,
  said: readonly SaidFacility[],
): Promise<UpsertedFacility[]> {
  const ids = said.map(({ id }) => id)
  return retriedTransaction(db, async (tx) => {
    const held = byId(
      environment,
      // In one order: batches at the same moment wait for each other, and never in a circle.
      await tx<FacilityRow[]>`
        select id, name, city, state, created_at from facilities
        where environment = ${environment} and id = any(${ids}) order by id for no key update`,
    )
    const after = said.map((each) => facilityAfter(held.get(each.id) ?? null, each, environment))
    await update(
      tx,
      environment,
      after.filter((facility) => hasChanged(held.get(facility.id), facility)),
    )
    await insert(
      tx,
      environment,
      after.filter(({ id }) => !held.has(id)),
    )
    const now = await findFacilities(tx, environment, ids)
    return ids.flatMap((id) => {
      const facility = now.get(id)
      return facility === undefined ? [] : [{ facility, isNew: !held.has(id) }]
    })
  })
}

export async function findFacilities(
  db: DbOrTransaction,
  environment: Environment,
  ids: readonly string[],
): Promise<Map<string, KnownFacility>> {
  const rows = await db<FacilityRow[]>`
    select id, name, city, state, created_at from facilities where environment = ${environment} and id = any(${ids})`
  return byId(environment, rows)
}

/** With the facility go people's access to it, applications' connections, and its place in webhooks. */
export async function deleteFacilities(db: Db, environment: Environment, ids: readonly string[]): Promise<void> {
  await retriedTransaction(db, async (tx) => {
    await tx`select 1 from facilities where environment = ${environment} and id = any(${ids}) order by id for update`
    await tx`delete from facilities where environment = ${environment} and id = any(${ids})`
  })
}

async function update(tx: DbOrTransaction, environment: Environment, facilities: readonly Facility[]): Promise<void> {
  if (facilities.length === 0) return
  await tx`
    update facilities set name = said.name, city = said.city, state = said.state
    from ${recordset(tx, facilities)} where facilities.environment = ${environment} and facilities.id = said.id`
}

async function insert(tx: DbOrTransaction, environment: Environment, facilities: readonly Facility[]): Promise<void> {
  if (facilities.length === 0) return
  await tx`
    insert into facilities (environment, id, name, city, state)
    select ${environment}, id, name, city, state from ${recordset(tx, facilities)} order by id`
}

function recordset(tx: DbOrTransaction, facilities: readonly Facility[]) {
  // By way of text, or the driver would write the JSON out a second time.
  return tx`
    jsonb_to_recordset(${JSON.stringify(facilities)}::text::jsonb) as said (id text, name text, city text, state text)`
}

function hasChanged(known: Facility | undefined, after: Facility): boolean {
  return known !== undefined && (known.name !== after.name || known.city !== after.city || known.state !== after.state)
}

function byId(environment: Environment, rows: readonly FacilityRow[]): Map<string, KnownFacility> {
  return new Map(
    rows.map(({ id, name, city, state, created_at }) => [
      id,
      { environment, id, name, city, state, createdAt: created_at },
    ]),
  )
}
