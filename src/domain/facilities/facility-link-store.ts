import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Environment } from '../environment.ts'
import type { FacilityRef } from './facility.ts'

/** What ties somebody to a facility: the access of a person, or the connection of an application. */
export type LinkKind = 'access' | 'connection'

/** `otherId` is the person's or the application's. */
export type FacilityLink = { facilityId: string; otherId: string }

/** `unknown`: facilities, and people or applications, that are not there. Then nothing was changed. */
export type LinkOutcome =
  | { outcome: 'done' }
  | { outcome: 'unknown'; facilities: ReadonlySet<string>; others: ReadonlySet<string> }

/** All or none. What is there already, or gone already, stays so. */
export function changeLinks(
  db: Db,
  kind: LinkKind,
  change: 'add' | 'remove',
  environment: Environment,
  links: readonly FacilityLink[],
): Promise<LinkOutcome> {
  return retriedTransaction(db, async (tx): Promise<LinkOutcome> => {
    const facilities = await missingFacilities(tx, environment, links)
    const others = await missingOthers(tx, kind, links)
    if (facilities.size > 0 || others.size > 0) return { outcome: 'unknown', facilities, others }
    if (change === 'add') await addLinks(tx, kind, environment, links)
    else await removeLinks(tx, kind, environment, links)
    return { outcome: 'done' }
  })
}

/** The facility must be there; null when it is not. One more than `limit` tells that there is another page. */
export async function listLinks(
  db: Db,
  kind: LinkKind,
  facility: FacilityRef,
  { after, limit }: { after: string | null; limit: number },
): Promise<Array<{ otherId: string; since: Date }> | null> {
  const { table, other, since } = namesOf(db, kind)
  const rows = await db<Array<{ other_id: string | null; since: Date | null }>>`
    select link.other_id, link.since
    from facilities left join lateral (
      select ${other} as other_id, ${since} as since from ${table}
      where environment = facilities.environment and facility_id = facilities.id
        and (${after}::text is null or ${other} > ${after})
      order by ${other} limit ${limit}
    ) link on true
    where facilities.environment = ${facility.environment} and facilities.id = ${facility.id}
    order by link.other_id`
  if (rows.length === 0) return null
  return rows.flatMap(({ other_id: otherId, since: at }) =>
    otherId === null || at === null ? [] : [{ otherId, since: at }],
  )
}

/** Held, so that neither end can go before the link is written; in one order, as everywhere. */
async function missingFacilities(
  tx: DbOrTransaction,
  environment: Environment,
  links: readonly FacilityLink[],
): Promise<Set<string>> {
  const ids = new Set(links.map(({ facilityId }) => facilityId))
  const rows = await tx<Array<{ id: string }>>`
    select id from facilities where environment = ${environment} and id = any(${[...ids]}) order by id for key share`
  return ids.difference(new Set(rows.map(({ id }) => id)))
}

async function missingOthers(
  tx: DbOrTransaction,
  kind: LinkKind,
  links: readonly FacilityLink[],
): Promise<Set<string>> {
  const ids = new Set(links.map(({ otherId }) => otherId))
  const { others, isThere } = namesOf(tx, kind)
  const rows = await tx<Array<{ id: string }>>`
    select id from ${others} where id = any(${[...ids]}) and ${isThere} order by id for key share`
  return ids.difference(new Set(rows.map(({ id }) => id)))
}

async function addLinks(
  tx: DbOrTransaction,
  kind: LinkKind,
  environment: Environment,
  links: readonly FacilityLink[],
): Promise<void> {
  const { table, other } = namesOf(tx, kind)
  await tx`
    insert into ${table} (environment, facility_id, ${other})
    select ${environment}, facility_id, other_id from ${pairs(tx, links)} order by facility_id, other_id
    on conflict do nothing`
}

async function removeLinks(
  tx: DbOrTransaction,
  kind: LinkKind,
  environment: Environment,
  links: readonly FacilityLink[],
): Promise<void> {
  const { table, other } = namesOf(tx, kind)
  const isOneOf = tx`
    environment = ${environment} and (facility_id, ${other}) in (select facility_id, other_id from ${pairs(tx, links)})`
  await tx`select 1 from ${table} where ${isOneOf} order by facility_id, ${other} for update`
  await tx`delete from ${table} where ${isOneOf}`
}

function pairs(tx: DbOrTransaction, links: readonly FacilityLink[]) {
  return tx`
    unnest(${links.map(({ facilityId }) => facilityId)}::text[], ${links.map(({ otherId }) => otherId)}::text[])
      as said (facility_id, other_id)`
}

function namesOf(db: DbOrTransaction, kind: LinkKind) {
  return kind === 'access'
    ? {
        table: db`facility_access`,
        other: db`user_id`,
        since: db`granted_at`,
        others: db`users`,
        isThere: db`true`,
      }
    : {
        table: db`facility_connections`,
        other: db`application_id`,
        since: db`connected_at`,
        others: db`applications`,
        isThere: db`deleted_at is null`,
      }
}
