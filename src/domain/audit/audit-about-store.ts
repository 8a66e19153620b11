import type { Db } from '../../platform/db.ts'
import type { AuditRow } from './audit.ts'
import { AUDIT_COLUMNS, auditRowFrom, type StoredAuditRow } from './audit-row.ts'

/** What support did to one account, the newest first: such an entry names the account in `after`, and an index knows it. */
export async function auditAbout(db: Db, accountId: string, limit: number): Promise<AuditRow[]> {
  const rows = await db<StoredAuditRow[]>`
    select ${db(AUDIT_COLUMNS)} from audit_log where after ->> 'account' = ${accountId} order by id desc limit ${limit}`
  return rows.map(auditRowFrom)
}
