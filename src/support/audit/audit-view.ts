import { AUDIT_ACTIONS, type AuditRow } from '../../domain/audit/audit.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { select } from '../../ui/select.ts'
import { actionInWords } from './action-words.ts'
import { auditEntries } from './entries.ts'
import { MOST_EXPORTED } from './export-lines.ts'
import { filterQuery, type ReadFilter, type TypedFilter } from './filter.ts'

export type AuditView = {
  csrf: string
  rows: readonly AuditRow[]
  /** The cursor of the next page. */
  older: string | null
  isFirstPage: boolean
  typed: TypedFilter
  faults: ReadFilter['faults']
}

const AT = '/support/audit'

export function auditContent(view: AuditView): Markup {
  const { rows, older, isFirstPage, typed, faults } = view
  const isFiltered = Object.values(typed).some((value) => value !== '')
  return html`<div class="desk-head"><div><h1>Audit log</h1>
<p class="lead">Every change that integrators, staff and commands made, and what was before. Nobody can edit it.</p></div></div>
${faultSummary({ from: 'From', to: 'To' }, faults)}
${filterForm(view, isFiltered)}
<section class="card" aria-label="Entries">
${rows.length === 0 ? html`<p class="none">${emptyWords(isFiltered, isFirstPage)}</p>` : auditEntries(rows, { about: true })}
</section>
${older !== null && html`<p class="actions"><a class="button quiet" href="${AT}?${filterQuery(typed)}before=${older}">Older entries</a></p>`}
${rows.length > 0 && exportForm(view)}`
}

function filterForm({ typed, faults, isFirstPage }: AuditView, isFiltered: boolean): Markup {
  const text = (name: 'actor' | 'team' | 'application' | 'request', label: string) =>
    field({ name, label, value: typed[name], autocomplete: 'off', required: false, maxlength: 320 })
  const day = (name: 'from' | 'to', label: string) =>
    field({ name, label, type: 'date', value: typed[name], autocomplete: 'off', required: false, error: faults[name] })
  const options = [
    { value: '', label: 'Everything' },
    ...AUDIT_ACTIONS.toSorted().map((action) => ({ value: action, label: actionInWords(action) })),
  ]
  return html`<form class="filter fields" method="get" action="${AT}">
${text('actor', 'Who')}
${select({ name: 'action', label: 'What', value: typed.action, options })}
${text('team', 'Team id')}
${text('application', 'Client id')}
${text('request', 'Request id')}
${day('from', 'From')}
${day('to', 'To')}
<button type="submit" class="quiet">Filter</button>
${(isFiltered || !isFirstPage) && html`<a href="${AT}">Newest of everything</a>`}
</form>`
}

function exportForm({ csrf, typed }: AuditView): Markup {
  return form(`${AT}/export`, { csrf, ...typed }, [
    html`<div class="actions">${button('Download as CSV', { kind: 'quiet' })}</div>`,
    html`<p class="hint">What this filter finds, newest first: at most ${MOST_EXPORTED.toLocaleString('en')} entries. The download is
written down here too.</p>`,
  ])
}

function emptyWords(isFiltered: boolean, isFirstPage: boolean): string {
  if (!isFirstPage) return 'There is nothing older.'
  return isFiltered ? 'Nothing matches. Leave out a field, or widen the days.' : 'Nothing has happened yet.'
}
