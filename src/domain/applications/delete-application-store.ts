import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AuditAction, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { endSandboxes } from '../sandboxes/sandbox-store.ts'
import { holdRight } from '../teams/right-store.ts'
import { holdTeam } from '../teams/team-store.ts'
import { roomFor } from './application-limit-store.ts'
import { holdTeamApplication } from './team-application-store.ts'

/** How long a deleted application can be restored (decision E1). */
export const RESTORABLE_DAYS = 30

const MOST_AT_ONCE = 20

type Named = { teamId: string; applicationId: string }

/** Every process forgets it within a second: its tokens, secrets and webhooks stop, and nothing of it is lost yet. */
export async function deleteApplication(db: Db, named: Named, doing: Doing): Promise<'deleted' | 'unknown'> {
  return transaction(db, async (tx) => {
    const application = await holdTeamApplication(tx, named, doing, 'application.delete')
    if (application === null) return 'unknown'
    await tx`update applications set deleted_at = now(), updated_at = now() where id = ${application.id}`
    await append(tx, named, 'application.deleted', application.name, doing)
    return 'deleted'
  })
}

export type RestoreOutcome = 'restored' | 'too-many' | 'unknown'

export async function restoreApplication(db: Db, named: Named, doing: Doing): Promise<RestoreOutcome> {
  return transaction(db, async (tx): Promise<RestoreOutcome> => {
    await holdTeam(tx, named.teamId)
    if (!(await holdRight(tx, named.teamId, doing, 'application.delete'))) return 'unknown'
    if ((await roomFor(tx, named.teamId, 'restored')) !== 'room') return 'too-many'
    const [row] = await tx<Array<{ name: string }>>`
      update applications set deleted_at = null, updated_at = now()
      where id = ${named.applicationId} and team_id = ${named.teamId} and ${restorable(tx)} returning name`
    if (row === undefined) return 'unknown'
    await append(tx, named, 'application.restored', row.name, doing)
    return 'restored'
  })
}

export type DeletedApplication = { id: string; name: string; deletedAt: Date; restorableUntil: Date }

/** The last one deleted first. There are never more than a team may have with those that it deleted. */
export async function deletedApplications(db: Db, teamId: string): Promise<DeletedApplication[]> {
  const rows = await db<Array<{ id: string; name: string; deleted_at: Date; restorable_until: Date }>>`
    select id, name, deleted_at, deleted_at + make_interval(days => ${RESTORABLE_DAYS}) as restorable_until
    from applications where team_id = ${teamId} and ${restorable(db)} order by deleted_at desc, id`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    deletedAt: row.deleted_at,
    restorableUntil: row.restorable_until,
  }))
}

/**
 * Of which an application can have any number. They go slice by slice before it does: all in one statement could take longer
 * than a statement may, and then neither it nor any that was deleted after it would ever go.
 */
const WITHOUT_NUMBER = [
  'refresh_families',
  'authorization_codes',
  'session_applications',
  'consents',
  'webhooks',
  'facility_connections',
] as const
const SLICE = 2_000

/** What can be restored no more goes for good, with everything that was the application's. Answers how many went. */
export async function removeDeletedApplications(db: Db): Promise<number> {
  const due = await db<Array<{ id: string }>>`
    select id from applications where deleted_at is not null and not ${restorable(db)}
    order by deleted_at limit ${MOST_AT_ONCE}`
  const ids = due.map(({ id }) => id)
  if (ids.length === 0) return 0
  for (const table of WITHOUT_NUMBER) while ((await removeSlice(db, table, ids)) === SLICE);
  return retriedTransaction(db, async (tx) => {
    const rows = await tx<Array<{ id: string }>>`
      select id from applications where id = any(${ids}) order by id for update skip locked`
    const held = rows.map(({ id }) => id)
    await endSandboxes(tx, held)
    await tx`delete from applications where id = any(${held})`
    return held.length
  })
}

async function removeSlice(db: Db, table: (typeof WITHOUT_NUMBER)[number], ids: readonly string[]): Promise<number> {
  const removed = await db`
    delete from ${db(table)} where ctid = any(array(
      select ctid from ${db(table)} where application_id = any(${ids}) limit ${SLICE} for update skip locked))`
  return removed.count
}

function restorable(db: DbOrTransaction) {
  return db`(deleted_at > now() - make_interval(days => ${RESTORABLE_DAYS}))`
}

async function append(
  tx: DbOrTransaction,
  { teamId, applicationId }: Named,
  action: Extract<AuditAction, 'application.deleted' | 'application.restored'>,
  name: string,
  { actor, requestId }: Doing,
): Promise<void> {
  const state = { application: name }
  const [before, after] = action === 'application.restored' ? [null, state] : [state, null]
  await appendAudit(tx, { actor, action, teamId, applicationId, before, after, requestId })
}
