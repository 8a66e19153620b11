import type { Application } from '../../domain/applications/application.ts'
import { type ApplicationFacts, MOST_COUNTED } from '../../domain/applications/application-facts-store.ts'
import type { LiveSecret } from '../../domain/applications/client-secret-store.ts'
import type { AuditPage } from '../../domain/audit/audit-store.ts'
import type { RequestCount } from '../../domain/requests/request-count-store.ts'
import { DEFINITIONS, SUPPORT_SETTINGS } from '../../domain/support-requests/setting-definitions.ts'
import type { SupportRequest } from '../../domain/support-requests/support-request.ts'
import { settingInWords } from '../../domain/support-requests/support-setting.ts'
import type { Member } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { textArea } from '../../ui/text-area.ts'
import { auditEntries } from '../audit/entries.ts'
import { weekInWords } from '../queue/queue-view.ts'
import { membersTable } from '../team/members-table.ts'

/** Why it is to be suspended or not any more, as typed. */
export type SuspendTyped = { reason: string; fault: string | null }

export type ApplicationView = {
  csrf: string
  done: Markup | null
  application: Application
  facts: ApplicationFacts
  members: readonly Member[]
  secrets: readonly LiveSecret[]
  open: readonly SupportRequest[]
  latest: AuditPage
  lastWeek: RequestCount
  suspending: SuspendTyped
}

export function applicationContent(view: ApplicationView): Markup {
  const { application, suspending } = view
  return html`${view.done}
${faultSummary({ reason: 'Reason' }, { reason: suspending.fault ?? undefined })}
<div class="desk-head"><div><h1><bdi>${application.name}</bdi></h1>
<p class="lead"><code>${application.id}</code></p></div>
${application.suspended && html`<span class="tag bad">suspended</span>`}</div>
${openRequests(view)}
${factsCard(view)}
${settingsCard(view)}
${suspensionCard(view)}
${membersCard(view)}
${secretsCard(view)}
${latestCard(view)}`
}

function openRequests({ open }: ApplicationView): Markup | null {
  if (open.length === 0) return null
  return html`<section class="note steps" aria-labelledby="open"><h2 id="open">Waiting for an answer</h2>
<ul>${open.map(({ id, setting }) => html`<li><a href="/support/requests/${id}">${DEFINITIONS[setting].label}</a></li>`)}</ul></section>`
}

function factsCard({ application, facts, lastWeek }: ApplicationView): Markup {
  const { team, createdAt, suspendedAt, webhooks } = facts
  return card(
    'about',
    'About',
    html`<dl class="facts">
<dt>Team</dt><dd>${team === null ? html`<span class="none">none</span>` : html`<a href="/support/teams/${team.id}"><bdi>${team.name}</bdi></a>`}</dd>
<dt>Kind</dt><dd>${application.type}</dd>
<dt>Made</dt><dd>${day(createdAt)}</dd>
${suspendedAt !== null && html`<dt>Suspended</dt><dd>${moment(suspendedAt)}</dd>`}
<dt>Redirect URIs</dt><dd>${application.redirectUris.length === 0 ? html`<span class="none">none</span>` : application.redirectUris.map((uri, position) => html`${position > 0 && html`<br>`}<code>${uri}</code>`)}</dd>
<dt>Webhooks</dt><dd>${
      webhooks.length === 0
        ? html`<span class="none">none</span>`
        : webhooks.map(
            ({ environment, all, disabled }, position) =>
              html`${position > 0 && html`<br>`}${count(all)} in ${environment}${disabled > 0 && `, ${disabled} of them disabled`}`,
          )
    }</dd>
<dt>Deliveries</dt><dd><a href="/support/deliveries?application=${application.id}">What was sent to them</a></dd>
<dt>Last week</dt><dd>${weekInWords(lastWeek)}</dd>
</dl>`,
  )
}

function count(number: number): string {
  return number >= MOST_COUNTED ? `${number.toLocaleString('en')} or more` : String(number)
}

/** Suspension has a card of its own. */
function settingsCard({ application }: ApplicationView): Markup {
  const at = `/support/applications/${application.id}/settings`
  const rows = SUPPORT_SETTINGS.filter((setting) => setting !== 'suspension').map((setting) => [
    html`<strong>${DEFINITIONS[setting].label}</strong>`,
    settingInWords(setting, application),
    html`<a href="${at}/${setting}">Change<span class="unseen"> ${DEFINITIONS[setting].label}</span></a>`,
  ])
  return card(
    'settings',
    'Settings that only support changes',
    table({ caption: 'Settings', columns: ['Setting', 'At present', ''], rows }),
  )
}

function suspensionCard({ csrf, application, suspending }: ApplicationView): Markup {
  const { suspended } = application
  const action = suspended ? 'unsuspend' : 'suspend'
  return card(
    'suspension',
    suspended ? 'Lift the suspension' : 'Suspend',
    html`<p>${
      suspended
        ? 'The application gets tokens again, and what was held for it is delivered as its webhooks say.'
        : 'It gets no tokens any more and the ones it has are refused within a second; what comes for its webhooks is held.'
    }</p>
${form(`/support/applications/${application.id}/${action}`, { csrf }, [
  textArea({
    name: 'reason',
    label: 'Reason',
    value: suspending.reason,
    rows: 3,
    hint: 'Written down; the team reads it in its audit log.',
    error: suspending.fault,
  }),
  html`<div class="actions">${
    suspended
      ? html`<button type="submit" class="primary">Lift the suspension</button>`
      : html`<button type="submit" class="danger">Suspend ${application.name}</button>`
  }</div>`,
])}`,
  )
}

function membersCard({ facts, members }: ApplicationView): Markup | null {
  return facts.team === null ? null : card('members', 'People of its team', membersTable(members))
}

function secretsCard({ secrets }: ApplicationView): Markup {
  const rows = secrets.map(({ name, createdAt, lastUsedAt }) => [
    html`<strong><bdi>${name}</bdi></strong>`,
    day(createdAt),
    lastUsedAt === null ? html`<span class="none">never</span>` : moment(lastUsedAt),
  ])
  return card(
    'secrets',
    'Client secrets',
    rows.length === 0
      ? html`<p class="none">It has none.</p>`
      : table({ caption: 'Client secrets', columns: ['Name', 'Made', 'Last used'], rows }),
  )
}

function latestCard({ application, latest: { rows, older } }: ApplicationView): Markup {
  const all = `/support/audit?application=${application.id}`
  return card(
    'audit',
    'Latest changes',
    rows.length === 0 ? html`<p class="none">Nothing has been changed yet.</p>` : auditEntries(rows, { about: false }),
    older !== null && html`<a href="${all}">All of them</a>`,
  )
}
