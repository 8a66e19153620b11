import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { AuditAction, AuditEntry, AuditRow } from './audit.ts'
import { AUDIT_COLUMNS, auditRowFrom, type StoredAuditRow } from './audit-row.ts'

/** Takes the transaction of the change: either both happen or neither. */
export async function appendAudit(tx: DbOrTransaction, entry: AuditEntry): Promise<void> {
  const { actor, action, teamId, applicationId, before, after, requestId } = entry
  await tx`
    insert into audit_log (id, actor_kind, actor_id, actor_name, team_id, application_id, action, before, after, request_id)
    values (${newId('aud')}, ${actor.kind}, ${actor.id}, ${actor.name}, ${teamId}, ${applicationId}, ${action},
            ${before === null ? null : tx.json(before)}, ${after === null ? null : tx.json(after)}, ${requestId})`
}

export type AuditPage = { rows: AuditRow[]; older: string | null }

/** Newest first, from `before` on backwards; both indexes end in the id, so a page costs the same however long the log is. */
export async function auditOfTeam(
  db: Db,
  teamId: string,
  { action, before, limit }: { action: AuditAction | null; before: string | null; limit: number },
): Promise<AuditPage> {
  const rows = await db<StoredAuditRow[]>`
    select ${db(AUDIT_COLUMNS)} from audit_log
    where team_id = ${teamId} ${action === null ? db`` : db`and action = ${action}`}
      ${before === null ? db`` : db`and id < ${before}`}
    order by id desc limit ${limit + 1}`
  return pageOf(rows, limit)
}

/** What an integrator did to their own account, which is no team's to read. Newest first, by an index of its own. */
export async function auditOfAccount(
  db: Db,
  integratorId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditPage> {
  const rows = await db<StoredAuditRow[]>`
    select ${db(AUDIT_COLUMNS)} from audit_log
    where actor_id = ${integratorId} and team_id is null ${before === null ? db`` : db`and id < ${before}`}
    order by id desc limit ${limit + 1}`
  return pageOf(rows, limit)
}

/** What support looks for; null is no matter. Times are part of the id, so that every index knows them. */
export type AuditFilter = {
  /** As they were called then, or the id of their account. */
  actor: string | null
  action: AuditAction | null
  teamId: string | null
  applicationId: string | null
  requestId: string | null
  from: Date | null
  /** Up to and not including. */
  until: Date | null
}

export const EVERYTHING: AuditFilter = {
  actor: null,
  action: null,
  teamId: null,
  applicationId: null,
  requestId: null,
  from: null,
  until: null,
}

/** Over everything, newest first: each filter has an index that ends in the id. */
export async function searchAudit(
  db: Db,
  filter: AuditFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditPage> {
  const { actor, action, teamId, applicationId, requestId, from, until } = filter
  const beyond = [before, until && idAt(until)].filter((id) => id !== null).toSorted()[0] ?? null
  const rows = await db<StoredAuditRow[]>`
    select ${db(AUDIT_COLUMNS)} from audit_log
    where true ${actor === null ? db`` : db`and ${db(actorColumn(actor))} = ${actor}`}
      ${action === null ? db`` : db`and action = ${action}`}
      ${teamId === null ? db`` : db`and team_id = ${teamId}`}
      ${applicationId === null ? db`` : db`and application_id = ${applicationId}`}
      ${requestId === null ? db`` : db`and request_id = ${requestId}`}
      ${from === null ? db`` : db`and id >= ${idAt(from)}`}
      ${beyond === null ? db`` : db`and id < ${beyond}`}
    order by id desc limit ${limit + 1}`
  return pageOf(rows, limit)
}

function actorColumn(actor: string): 'actor_id' | 'actor_name' {
  return /^(?:int|stf)_[0-9a-f]{32}$/.test(actor) ? 'actor_id' : 'actor_name'
}

/** The first id of that millisecond (decision A6). */
function idAt(moment: Date): string {
  return `aud_${Math.max(0, moment.getTime()).toString(16).padStart(12, '0')}`
}

function pageOf(rows: readonly StoredAuditRow[], limit: number): AuditPage {
  const shown = rows.slice(0, limit).map(auditRowFrom)
  return { rows: shown, older: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
