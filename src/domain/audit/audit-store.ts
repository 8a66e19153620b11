import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { AuditAction, AuditActor, AuditEntry, AuditRow, AuditState } from './audit.ts'

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
  const rows = await db<
    Array<{
      id: string
      at: Date
      actor_kind: AuditActor['kind']
      actor_name: string
      application_id: string | null
      action: AuditAction
      before: AuditState | null
      after: AuditState | null
      request_id: string | null
    }>
  >`
    select id, at, actor_kind, actor_name, application_id, action, before, after, request_id from audit_log
    where team_id = ${teamId} ${action === null ? db`` : db`and action = ${action}`}
      ${before === null ? db`` : db`and id < ${before}`}
    order by id desc limit ${limit + 1}`
  const shown = rows.slice(0, limit).map((row) => ({
    id: row.id,
    at: row.at,
    actorKind: row.actor_kind,
    actorName: row.actor_name,
    teamId,
    applicationId: row.application_id,
    action: row.action,
    before: row.before,
    after: row.after,
    requestId: row.request_id,
  }))
  return { rows: shown, older: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
