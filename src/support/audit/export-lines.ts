import type { AuditRow } from '../../domain/audit/audit.ts'
import type { AuditFilter } from '../../domain/audit/audit-store.ts'
import { searchAudit } from '../../domain/audit/audit-store.ts'
import type { Db } from '../../platform/db.ts'

export const MOST_EXPORTED = 100_000
const AT_ONCE = 1_000

const HEAD = ['id', 'at', 'actor_kind', 'actor', 'action', 'team_id', 'application_id', 'request_id', 'before', 'after']

/** Read a piece at a time as they are sent, so that neither we nor the database hold all of it. */
export async function* exportLines(db: Db, filter: AuditFilter): AsyncGenerator<string> {
  yield csvLine(HEAD)
  let before: string | null = null
  for (let sent = 0; sent < MOST_EXPORTED; sent += AT_ONCE) {
    const page = await searchAudit(db, filter, { before, limit: AT_ONCE })
    yield page.rows.map((row) => csvLine(cellsOf(row))).join('')
    if (page.older === null) return
    before = page.older
  }
}

function cellsOf(row: AuditRow): string[] {
  return [
    row.id,
    row.at.toISOString(),
    row.actorKind,
    row.actorName,
    row.action,
    row.teamId ?? '',
    row.applicationId ?? '',
    row.requestId ?? '',
    row.before === null ? '' : JSON.stringify(row.before),
    row.after === null ? '' : JSON.stringify(row.after),
  ]
}

/**
 * RFC 4180, every cell quoted. What a spreadsheet would take for a formula gets an apostrophe in front: names in the log are
 * anybody's words.
 */
export function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => `"${(/^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`)
  return `${quoted.join(',')}\r\n`
}
