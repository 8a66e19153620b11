import type { AuditRow } from '../../domain/audit/audit.ts'
import { changeList } from '../../ui/change-list.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { actionInWords } from './action-words.ts'

/** Entries of the log, wherever they are shown; `about` is left out where the page says already what they are about. */
export function auditEntries(rows: readonly AuditRow[], { about }: { about: boolean }): Markup {
  return table({
    caption: 'Changes, newest first',
    columns: ['When', 'Who', 'What', 'Details', 'Request'],
    rows: rows.map((row) => [
      moment(row.at),
      html`<bdi>${row.actorName}</bdi> <span class="tag">${row.actorKind}</span>`,
      html`<div class="whole"><strong>${actionInWords(row.action)}</strong>${about && aboutWhat(row)}</div>`,
      changeList(row),
      row.requestId === null ? html`<span class="none">none</span>` : html`<code class="small">${row.requestId}</code>`,
    ]),
  })
}

function aboutWhat({ teamId, applicationId }: AuditRow): Markup {
  return html`${applicationId !== null && html`<br><a href="/support/applications/${applicationId}">Application</a>`}${
    teamId !== null && html`<br><a href="/support/teams/${teamId}">Team</a>`
  }`
}
