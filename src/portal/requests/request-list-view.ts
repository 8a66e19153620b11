import type { ApplicationUris } from '../../domain/applications/registered-uris-store.ts'
import type { LoggedRequest, Refusal } from '../../domain/requests/logged-request.ts'
import type { Membership } from '../../domain/teams/team.ts'
import { html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { uriComparison } from './uri-comparison-view.ts'

export type RequestList = {
  team: Membership
  applications: readonly ApplicationUris[]
  rows: readonly LoggedRequest[]
}

/** Newest first: what was answered, why if it was refused, and whose request it was. */
export function requestList({ team, applications, rows }: RequestList): Markup {
  const known = new Map(applications.map((application) => [application.id, application]))
  return html`<ol class="requests">
${rows.map((row) => {
  const application = known.get(row.applicationId) ?? null
  return html`<li>
<div class="request-head">${answer(row)} <code>${row.method} ${row.path}</code> ${second(row.at)}</div>
${row.refusal !== null && html`<div class="request-why">${why(row, row.refusal, team, application)}</div>`}
${particulars(row, application)}
</li>
`
})}</ol>`
}

/** An error that went back to the application by a redirect has a status that tells nothing of it. */
function answer({ status, refusal }: LoggedRequest): Markup {
  if (refusal === null) return html`<span class="tag good">${status}</span>`
  return html`<span class="tag bad">${status} ${refusal.error}</span>`
}

function particulars(row: LoggedRequest, application: ApplicationUris | null): Markup {
  const { environment, operation, requestId, durationMs, network } = row
  const items = [
    html`<bdi>${application?.name ?? row.applicationId}</bdi>`,
    ...(environment === null ? [] : [html`<span class="in-${environment}-words">${environment}</span>`]),
    ...(operation === null ? [] : [html`${operation}`]),
    html`<code>${requestId}</code>`,
    html`${durationMs} ms`,
    ...(network === '' ? [] : [html`from ${network}`]),
  ]
  return html`<ul class="particulars">${items.map((item) => html`<li>${item}</li>`)}</ul>`
}

function why(row: LoggedRequest, refusal: Refusal, { id }: Membership, application: ApplicationUris | null): Markup {
  if (application === null) return html`${refusal.reason}`
  const at = `/portal/teams/${id}/applications/${application.id}`
  const link = application.deleted ? null : nextStep(row, refusal, at, application.name)
  const { redirect_uri: redirectUri, post_logout_redirect_uri: logoutUri } = refusal.facts
  if (redirectUri !== undefined)
    return html`${refusal.reason}${uriComparison(redirectUri, application.redirectUris, link)}`
  if (logoutUri !== undefined)
    return html`${refusal.reason}${uriComparison(logoutUri, application.postLogoutRedirectUris, link)}`
  return html`${refusal.reason}${link !== null && html`<p class="hint">${link}</p>`}`
}

/** Where it is mended, if that is a page of the portal. */
function nextStep({ path }: LoggedRequest, { error, facts }: Refusal, at: string, name: string): Markup | null {
  if (facts['redirect_uri'] !== undefined) return toDo(`${at}/settings`, 'Redirect URIs of', name)
  if (facts['post_logout_redirect_uri'] !== undefined) return toDo(`${at}/support`, 'Ask support to allow it for', name)
  switch (error) {
    case 'invalid_client':
      return toDo(`${at}/secrets`, 'Client secrets of', name)
    case 'unauthorized_client':
      return path.endsWith('/token')
        ? toDo(`${at}/support`, 'Ask support to enable it for', name)
        : toDo(`${at}/settings`, 'Settings of', name)
    case 'invalid_target':
    case 'unsupported_grant_type':
      return toDo(`${at}/quick-start`, 'Quick start of', name)
    default:
      return null
  }
}

function toDo(href: string, what: string, name: string): Markup {
  return html`<a href="${href}">${what} <bdi>${name}</bdi></a>`
}
