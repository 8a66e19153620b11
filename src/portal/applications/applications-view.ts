import type { DeletedApplication } from '../../domain/applications/delete-application-store.ts'
import type { ListedApplication } from '../../domain/applications/team-application-store.ts'
import { type Membership, may } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { typeInWords } from './type-words.ts'

export type ApplicationsView = {
  csrf: string
  team: Membership
  done: Markup | null
  error: string | null
  applications: readonly ListedApplication[]
  deleted: readonly DeletedApplication[]
  /** The cursor of the next page. */
  older: string | null
  isFirstPage: boolean
}

export function applicationsContent(view: ApplicationsView): Markup {
  const { team, done, error, applications, older, isFirstPage } = view
  const at = `/portal/teams/${team.id}/applications`
  const isEmpty = applications.length === 0 && isFirstPage
  return html`${done}
${error !== null && notice('error', error)}
<div class="desk-head"><div><h1>Applications</h1>
<p class="lead">What <strong>${team.name}</strong> integrates with: each has a Client ID, settings and webhooks of its own.</p></div>
${!isEmpty && may(team.role, 'application.create') && html`<a class="button" href="${at}/new">Create an application</a>`}</div>
${isEmpty ? firstOne(team, at) : list(view, at)}
${older !== null && html`<p class="actions"><a class="button quiet" href="${at}?before=${older}">Older applications</a></p>`}
${!isFirstPage && html`<p class="actions"><a href="${at}">Newest applications</a></p>`}
${isFirstPage && deletedCard(view, at)}`
}

/** Where there is nothing yet, what to do first. */
function firstOne(team: Membership, at: string): Markup {
  return html`<section class="card empty" aria-labelledby="first">
<h2 id="first">There is no application yet</h2>
<p>An application is what you build: it gets a Client ID to call us with, and two test facilities and a test person in the
sandbox, so that you can try everything before anybody real is involved.</p>
<ol>
<li>Answer three questions about what you build.</li>
<li>Register where people come back to, and run the quick start.</li>
<li>Register a webhook in the sandbox and send it a test event.</li>
</ol>
${
  may(team.role, 'application.create')
    ? html`<p class="actions"><a class="button" href="${at}/new">Create the first application</a></p>`
    : html`<p class="none">Your role only reads. An owner or a developer of the team can create one.</p>`
}
</section>`
}

function list({ applications }: ApplicationsView, at: string): Markup {
  if (applications.length === 0)
    return html`<section class="card"><p class="none">There is nothing older.</p></section>`
  const rows = applications.map(({ id, name, type, suspended, createdAt, lastUsedAt }) => [
    html`<a href="${at}/${id}"><strong>${name}</strong></a>${suspended && html` <span class="tag bad">suspended</span>`}`,
    typeInWords(type),
    html`<code class="small" data-copy>${id}</code>`,
    day(createdAt),
    lastUsedAt === null ? html`<span class="none">–</span>` : moment(lastUsedAt),
  ])
  const columns = ['Name', 'Type', 'Client ID', 'Created', 'Secret last used']
  return html`<section class="card" aria-label="Applications">${table({ caption: 'Applications, newest first', columns, rows })}</section>`
}

function deletedCard({ csrf, team, deleted }: ApplicationsView, at: string): Markup | null {
  if (deleted.length === 0) return null
  const restores = may(team.role, 'application.delete')
  const rows = deleted.map(({ id, name, deletedAt, restorableUntil }) => [
    html`<strong>${name}</strong><br><code class="small">${id}</code>`,
    day(deletedAt),
    html`until ${day(restorableUntil)}`,
    ...(restores
      ? [
          html`<div class="row-actions">${form(
            `${at}/${id}/restore`,
            { csrf },
            html`<button type="submit" class="quiet">Restore<span class="unseen"> ${name}</span></button>`,
          )}</div>`,
        ]
      : []),
  ])
  const columns = ['Name', 'Deleted', 'Can be restored', ...(restores ? [''] : [])]
  return card(
    'deleted',
    'Deleted',
    html`<p class="faint">They work no more. ${restores ? 'Restored, they work as before' : 'An owner can restore them'}; after that day they are gone for good.</p>
${table({ caption: 'Deleted applications', columns, rows })}`,
  )
}
