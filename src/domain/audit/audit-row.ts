import type { AuditAction, AuditActor, AuditRow, AuditState } from './audit.ts'

/** An entry as the table has it. */
export type StoredAuditRow = {
  id: string
  at: Date
  actor_kind: AuditActor['kind']
  actor_name: string
  team_id: string | null
  application_id: string | null
  action: AuditAction
  before: AuditState | null
  after: AuditState | null
  request_id: string | null
}

export const AUDIT_COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_name',
  'team_id',
  'application_id',
  'action',
  'before',
  'after',
  'request_id',
] as const

export function auditRowFrom(row: StoredAuditRow): AuditRow {
  return {
    id: row.id,
    at: row.at,
    actorKind: row.actor_kind,
    actorName: row.actor_name,
    teamId: row.team_id,
    applicationId: row.application_id,
    action: row.action,
    before: row.before,
    after: row.after,
    requestId: row.request_id,
  }
}
