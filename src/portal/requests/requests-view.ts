import type { ApplicationUris } from '../../domain/applications/registered-uris-store.ts'
import type { LoggedRequest, RefusalGroup } from '../../domain/requests/logged-request.ts'
import type { RequestFilter } from '../../domain/requests/request-log-store.ts'
import type { Membership } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { select } from '../../ui/select.ts'
import { requestList } from './request-list-view.ts'

/** What somebody wants to see; a request id stands for itself, whatever else is chosen. */
export type Asked = RequestFilter & { requestId: string; before: string | null }

export type RequestsView = {
  team: Membership
  applications: readonly ApplicationUris[]
  asked: Asked
  rows: readonly LoggedRequest[]
  /** The cursor of the next page. */
  older: string | null
  groups: readonly RefusalGroup[]
  leftOut: number
}

export function requestsContent(view: RequestsView): Markup {
  const { team, asked, rows, older } = view
  return html`<div class="desk-head"><div><h1>Requests</h1>
<p class="lead">What the applications of <strong>${team.name}</strong> asked for in the last seven days, and why it was refused. Callers are told less.</p></div></div>
${
  isUntouched(view)
    ? beginning(view)
    : html`${groupsCard(view)}
${filterForm(view)}
<section class="card" aria-label="Requests">
${rows.length === 0 ? html`<p class="none">${emptyWords(asked)}</p>` : requestList(view)}
</section>`
}
${older !== null && html`<p class="actions"><a class="button quiet" href="${addressOf(team, { ...asked, before: older })}">Older requests</a></p>`}`
}

/** Nothing was asked yet, and nothing was looked for. */
function isUntouched({ rows, groups, asked }: RequestsView): boolean {
  const { applicationId, environment, refusedOnly, cause, requestId, before } = asked
  const isPlain = !refusedOnly && [applicationId, environment, cause, before].every((each) => each === null)
  return isPlain && requestId === '' && rows.length === 0 && groups.length === 0
}

function beginning({ team, applications }: RequestsView): Markup {
  const [application] = applications.filter(({ deleted }) => !deleted)
  const at = `/portal/teams/${team.id}/applications`
  return card(
    'beginning',
    'Nothing has been asked yet',
    html`<p>Every token and API request of your applications appears here a second later, with its request id, and when it is refused with the precise reason.</p>
<p class="actions">${
      application === undefined
        ? html`<a class="button" href="${at}/new">Create an application</a>`
        : html`<a class="button" href="${at}/${application.id}/quick-start">Run the quick start of ${application.name}</a>`
    }</p>`,
  )
}

function groupsCard({ team, asked, groups, leftOut }: RequestsView): Markup | null {
  if (groups.length === 0) return null
  return card(
    'refused',
    'Refused in the last 24 hours',
    html`<ul class="rows causes">
${groups.map(
  ({ cause, error, reason, times, lastAt }) =>
    html`<li><div><strong>${times.toLocaleString('en')} ×</strong> ${reason}
<p><code>${error}</code> · last ${moment(lastAt)}</p></div>
${
  cause === asked.cause
    ? html`<span class="tag">shown below</span>`
    : html`<a href="${addressOf(team, { ...asked, cause, requestId: '', before: null })}">Show<span class="unseen">: ${reason}</span></a>`
}</li>
`,
)}</ul>
${leftOut > 0 && html`<p class="aside">${leftOut.toLocaleString('en')} more were refused and not kept, because there were so many.</p>`}`,
  )
}

function filterForm({ team, applications, asked }: RequestsView): Markup {
  const { applicationId, environment, refusedOnly, cause, requestId, before } = asked
  const isFiltered = [applicationId, environment, cause, before].some((each) => each !== null) || refusedOnly
  return html`<form class="filter requests-filter" method="get" action="/portal/teams/${team.id}/requests">
${cause !== null && html`<input type="hidden" name="cause" value="${cause}">`}
${select({
  name: 'application',
  label: 'Application',
  value: applicationId ?? '',
  options: [
    { value: '', label: 'All' },
    ...applications.map(({ id, name, deleted }) => ({ value: id, label: deleted ? `${name} (deleted)` : name })),
  ],
})}
${select({
  name: 'environment',
  label: 'Environment',
  value: environment ?? '',
  options: [
    { value: '', label: 'Both' },
    { value: 'sandbox', label: 'Sandbox' },
    { value: 'production', label: 'Production' },
  ],
})}
${select({
  name: 'show',
  label: 'Show',
  value: refusedOnly ? 'refused' : '',
  options: [
    { value: '', label: 'Everything' },
    { value: 'refused', label: 'Refused only' },
  ],
})}
<div class="field">
<label for="request">Request id</label>
<input id="request" name="request" type="text" value="${requestId}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="128" placeholder="req_…">
</div>
<button type="submit" class="quiet">Filter</button>
${(isFiltered || requestId !== '') && html`<a href="/portal/teams/${team.id}/requests">Newest of everything</a>`}
</form>`
}

function addressOf(
  { id }: Membership,
  { applicationId, environment, refusedOnly, cause, requestId, before }: Asked,
): string {
  const fields = {
    application: applicationId,
    environment,
    show: refusedOnly ? 'refused' : null,
    cause,
    request: requestId,
    before,
  }
  const given = Object.entries(fields).flatMap(
    ([name, value]): Array<[string, string]> => (value ? [[name, value]] : []),
  )
  return `/portal/teams/${id}/requests?${new URLSearchParams(given).toString()}`
}

function emptyWords({ requestId, before }: Asked): string {
  if (requestId !== '')
    return 'No request of your applications has this id. Requests are kept for seven days; of a busy application only a part of those that succeeded.'
  return before === null ? 'Nothing in the last seven days is like that.' : 'There is nothing older.'
}
