import type { Hit, HitKind } from '../../domain/lookup/hit.ts'
import type { LoggedRequest } from '../../domain/requests/logged-request.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { pageOf } from './hit-page.ts'

export type FindView = { sought: string; hits: readonly Hit[]; logged: readonly LoggedRequest[] }

const KINDS: Record<HitKind, string> = {
  application: 'Application',
  team: 'Team',
  integrator: 'Integrator',
  person: 'Person',
  facility: 'Facility',
  webhook: 'Webhook',
  event: 'Event',
  delivery: 'Delivery',
  request: 'Request to support',
}

export function findContent({ sought, hits, logged }: FindView): Markup {
  return html`<div class="desk-head"><div><h1>Find</h1>
${sought !== '' && html`<p class="lead">What goes by <strong><bdi>${sought}</bdi></strong></p>`}</div></div>
${hits.length > 0 && card('found', 'Found', hitTable(hits))}
${logged.length > 0 && card('requests', 'Requests of programs', loggedTable(logged))}
${hits.length + logged.length === 0 && nothing(sought)}
${sought !== '' && hits.length === 0 && html`<p class="aside">Changes under this request id are in the <a href="/support/audit?request=${encodeURIComponent(sought)}">audit log</a>.</p>`}`
}

function nothing(sought: string): Markup {
  return html`<section class="card" aria-label="What can be found">
${sought === '' ? html`<p>Type what you have into the box above.</p>` : html`<p><strong>Nothing goes by that.</strong> Ids and addresses are looked up as a whole.</p>`}
<ul class="allow">
<li>a client id, or the beginning of an application’s, a team’s or a facility’s name</li>
<li>the e-mail of an integrator, a nurse or a facility user</li>
<li>the id of a request (from an error page or the header <code>x-request-id</code>), event, delivery or webhook</li>
<li>the id of a team, a person or a facility</li>
</ul>
</section>`
}

function hitTable(hits: readonly Hit[]): Markup {
  return table({
    caption: 'Found',
    columns: ['Kind', 'Name', 'Id', 'More', 'Belongs to'],
    rows: hits.map((hit) => [
      KINDS[hit.kind],
      named(hit),
      html`<code class="small">${hit.id}</code>`,
      html`${hit.environment !== null && html`<span class="tag">${hit.environment}</span> `}<bdi>${hit.notes.join(' · ')}</bdi>`,
      owner(hit),
    ]),
  })
}

function named(hit: Hit): Markup {
  const page = pageOf(hit)
  const name = html`<strong><bdi>${hit.name}</bdi></strong>`
  return page === null ? name : html`<a href="/support${page}">${name}</a>`
}

function owner({ kind, applicationId, teamId }: Hit): Markup {
  const links = [
    applicationId !== null &&
      kind !== 'application' &&
      html`<a href="/support/applications/${applicationId}">Application</a>`,
    teamId !== null && kind !== 'team' && html`<a href="/support/teams/${teamId}">Team</a>`,
  ].filter((link) => link !== false)
  return links.length === 0
    ? html`<span class="none">none</span>`
    : html`${links.map((link, position) => html`${position > 0 && html`<br>`}${link}`)}`
}

function loggedTable(logged: readonly LoggedRequest[]): Markup {
  return table({
    caption: 'Requests of programs, newest first',
    columns: ['When', 'Request', 'Answer', 'Why', 'Application'],
    rows: logged.map(({ at, method, path, operation, status, refusal, applicationId, environment }) => [
      moment(at),
      html`<code class="small">${method} ${path}</code>${operation !== null && html`<br><span class="faint">${operation}</span>`}`,
      html`<span class="tag ${status < 400 ? 'good' : 'bad'}">${status}</span>${environment !== null && html` <span class="faint">${environment}</span>`}`,
      refusal === null
        ? html`<span class="none">not refused</span>`
        : html`<strong>${refusal.error}</strong><br>${refusal.reason}`,
      html`<a href="/support/applications/${applicationId}">Application</a>`,
    ]),
  })
}
