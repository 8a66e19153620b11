import type { AuditRow } from '../../domain/audit/audit.ts'
import { changeList } from '../../ui/change-list.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { actionInWords } from '../audit/audit-words.ts'

/** As in a team's log, but for who: it was always themselves. */
export function ownChanges(rows: readonly AuditRow[]): Markup {
  return table({
    caption: 'Changes, newest first',
    columns: ['When', 'What', 'Details'],
    rows: rows.map((row) => [moment(row.at), html`<strong>${actionInWords(row.action)}</strong>`, changeList(row)]),
  })
}
