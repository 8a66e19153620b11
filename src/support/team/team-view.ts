import type { ListedApplication } from '../../domain/applications/team-application-store.ts'
import type { AuditPage } from '../../domain/audit/audit-store.ts'
import type { Member, Team } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { auditEntries } from '../audit/entries.ts'
import { membersTable } from './members-table.ts'

export type TeamView = {
  team: Team
  members: readonly Member[]
  applications: readonly ListedApplication[]
  /** The cursor of the next page of applications. */
  older: string | null
  isFirstPage: boolean
  latest: AuditPage
}

export function teamContent({ team, members, applications, older, isFirstPage, latest }: TeamView): Markup {
  const at = `/support/teams/${team.id}`
  return html`<div class="desk-head"><div><h1><bdi>${team.name}</bdi></h1>
<p class="lead"><code>${team.id}</code></p></div></div>
${card(
  'applications',
  'Applications',
  html`${applications.length === 0 ? html`<p class="none">${isFirstPage ? 'It has none yet.' : 'There are no more.'}</p>` : applicationTable(applications)}
${older !== null && html`<p class="actions"><a class="button quiet" href="${at}?before=${older}">Older applications</a></p>`}`,
  !isFirstPage && html`<a href="${at}">Newest</a>`,
)}
${card('members', 'Members', membersTable(members))}
${card(
  'audit',
  'Latest changes',
  latest.rows.length === 0
    ? html`<p class="none">Nothing has been changed yet.</p>`
    : auditEntries(latest.rows, { about: true }),
  latest.older !== null && html`<a href="/support/audit?team=${team.id}">All of them</a>`,
)}`
}

function applicationTable(applications: readonly ListedApplication[]): Markup {
  return table({
    caption: 'Applications',
    columns: ['Application', 'Kind', 'Made', 'Secret last used'],
    rows: applications.map(({ id, name, type, suspended, createdAt, lastUsedAt }) => [
      html`<strong><a href="/support/applications/${id}"><bdi>${name}</bdi></a></strong>${suspended && html` <span class="tag bad">suspended</span>`}`,
      type,
      day(createdAt),
      lastUsedAt === null ? html`<span class="none">never</span>` : moment(lastUsedAt),
    ]),
  })
}
