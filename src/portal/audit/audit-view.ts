import { type AuditAction, type AuditRow, TEAM_ACTIONS } from '../../domain/audit/audit.ts'
import type { Membership } from '../../domain/teams/team.ts'
import { changeList } from '../../ui/change-list.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { select } from '../../ui/select.ts'
import { table } from '../../ui/table.ts'
import { actionInWords } from './audit-words.ts'

export type AuditView = {
  team: Membership
  rows: readonly AuditRow[]
  action: AuditAction | null
  /** The cursor of the next page. */
  older: string | null
  isFirstPage: boolean
}

export function auditContent({ team, rows, action, older, isFirstPage }: AuditView): Markup {
  const at = `/portal/teams/${team.id}/audit`
  const options = [
    { value: '', label: 'Everything' },
    ...TEAM_ACTIONS.map((each) => ({ value: each, label: actionInWords(each) })),
  ]
  const filter = action === null ? '' : `action=${action}&`
  return html`<div class="desk-head"><div><h1>Audit log</h1>
<p class="lead">Every change in <strong>${team.name}</strong>: who made it, when, and what was before. Nobody can edit it.</p></div></div>
<form class="filter" method="get" action="${at}">
${select({ name: 'action', label: 'Show', value: action ?? '', options })}
<button type="submit" class="quiet">Filter</button>
${(action !== null || !isFirstPage) && html`<a href="${at}">Newest of everything</a>`}
</form>
<section class="card" aria-label="Entries">
${rows.length === 0 ? html`<p class="none">${emptyWords(action, isFirstPage)}</p>` : entries(rows)}
</section>
${older !== null && html`<p class="actions"><a class="button quiet" href="${at}?${filter}before=${older}">Older entries</a></p>`}`
}

function entries(rows: readonly AuditRow[]): Markup {
  return table({
    caption: 'Changes, newest first',
    columns: ['When', 'Who', 'What', 'Details', 'Request'],
    rows: rows.map((row) => [
      moment(row.at),
      who(row),
      html`<strong>${actionInWords(row.action)}</strong>`,
      changeList(row),
      row.requestId === null ? html`<span class="none">none</span>` : html`<code class="small">${row.requestId}</code>`,
    ]),
  })
}

/** Which of its staff it was is support's to know; its own log says it. */
function who({ actorKind, actorName }: AuditRow): Markup {
  return html`<bdi>${actorKind === 'staff' ? 'Support' : actorName}</bdi>${actorKind !== 'integrator' && html` <span class="tag">${actorKind}</span>`}`
}

function emptyWords(action: AuditAction | null, isFirstPage: boolean): string {
  if (!isFirstPage) return 'There is nothing older.'
  return action === null ? 'Nothing has happened yet.' : 'Nothing of this kind has happened yet.'
}
