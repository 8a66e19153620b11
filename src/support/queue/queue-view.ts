import { MOST_REQUESTS_COUNTED, type RequestCount } from '../../domain/requests/request-count-store.ts'
import { DEFINITIONS } from '../../domain/support-requests/setting-definitions.ts'
import type { QueuedRequest, RequestState } from '../../domain/support-requests/support-request.ts'
import { ageInWords } from '../../ui/age.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'

export type ShownRequest = QueuedRequest & {
  /** How the setting is now, and how it would be, in words. */
  present: string
  asked: string
  suspended: boolean
  lastWeek: RequestCount
}

export type QueueView = {
  done: Markup | null
  state: RequestState
  requests: readonly ShownRequest[]
  /** The cursor of the next page. */
  next: string | null
  isFirstPage: boolean
  now: Date
}

const LISTS: Array<[state: RequestState, label: string]> = [
  ['open', 'Waiting'],
  ['approved', 'Approved'],
  ['denied', 'Denied'],
]

export function queueContent({ done, state, requests, next, isFirstPage, now }: QueueView): Markup {
  return html`${done}
<div class="desk-head"><div><h1>Requests</h1>
<p class="lead">${state === 'open' ? 'What integrators ask for, the longest waiting first.' : 'What was answered, newest first.'}</p></div></div>
<nav class="parts" aria-label="Lists"><ul>
${LISTS.map(
  ([each, label]) =>
    html`<li><a href="/support${each !== 'open' && `?state=${each}`}"${each === state && html` aria-current="page"`}>${label}</a></li>
`,
)}</ul></nav>
${requests.length === 0 ? html`<section class="card" aria-label="Requests"><p class="none">${emptyWords(state, isFirstPage)}</p></section>` : requests.map((request) => requestCard(request, now))}
${next !== null && html`<p class="actions"><a class="button quiet" href="/support?state=${state}&amp;after=${next}">${state === 'open' ? 'Later ones' : 'Older ones'}</a></p>`}`
}

function requestCard(request: ShownRequest, now: Date): Markup {
  const { id, setting, applicationName, createdAt, state } = request
  return html`<section class="card request" aria-labelledby="${id}">
<div class="part-head"><h2 id="${id}"><a href="/support/requests/${id}">${DEFINITIONS[setting].label}</a> for <bdi>${applicationName}</bdi></h2>
<span class="faint">${state === 'open' ? html`waiting ${ageInWords(createdAt, now)}` : moment(createdAt)}</span></div>
${requestFacts(request)}
</section>
`
}

/** The same wherever a request is shown. */
export function requestFacts(request: ShownRequest): Markup {
  const { state, present, asked, applicationId, applicationName, teamId, teamName, askedBy, reason } = request
  return html`<dl class="facts">
<dt>${state === 'open' ? 'Change' : 'Asked for'}</dt><dd>${
    state === 'open'
      ? html`<del>${present}</del> <span aria-hidden="true">→</span><span class="unseen">becomes</span> <strong>${asked}</strong>`
      : html`<strong>${asked}</strong>`
  }</dd>
<dt>Reason</dt><dd class="said"><bdi>${reason}</bdi></dd>
<dt>Application</dt><dd><a href="/support/applications/${applicationId}"><bdi>${applicationName}</bdi></a>${request.suspended && html` <span class="tag bad">suspended</span>`}</dd>
<dt>Team</dt><dd><a href="/support/teams/${teamId}"><bdi>${teamName}</bdi></a></dd>
<dt>Asked by</dt><dd>${askedBy === null ? html`<span class="none">an account that is gone</span>` : html`<bdi>${askedBy}</bdi>`}</dd>
<dt>Last week</dt><dd>${weekInWords(request.lastWeek)}</dd>
${answerFacts(request)}</dl>`
}

function answerFacts({ answer, answeredBy, answeredAt, state }: ShownRequest): Markup | null {
  if (answeredAt === null) return null
  return html`<dt>Answer</dt><dd><span class="tag ${state === 'approved' ? 'good' : 'bad'}">${state}</span>${
    answer !== null && html` <span class="said"><bdi>${answer}</bdi></span>`
  }</dd>
<dt>Answered</dt><dd>${moment(answeredAt)}${answeredBy !== null && html` by <bdi>${answeredBy}</bdi>`}</dd>
`
}

export function weekInWords({ all, refused }: RequestCount): string {
  if (all === 0) return 'No requests'
  return `${count(all)} ${all === 1 ? 'request' : 'requests'}, ${refused === 0 ? 'none' : count(refused)} refused`
}

function count(number: number): string {
  return number >= MOST_REQUESTS_COUNTED ? `${number.toLocaleString('en')} or more` : String(number)
}

function emptyWords(state: RequestState, isFirstPage: boolean): string {
  if (!isFirstPage) return 'There is nothing more.'
  return state === 'open'
    ? 'Nothing is waiting. Integrators ask from the page of their application; it appears here at once.'
    : 'Nothing yet.'
}
