import type { AuditRow } from '../../domain/audit/audit.ts'
import type { ConnectedApplication } from '../../domain/consents/consent-store.ts'
import type { Environment } from '../../domain/environment.ts'
import type { NamedFacility } from '../../domain/facilities/facility-name-store.ts'
import type { FailureCount } from '../../domain/limits/lock-store.ts'
import type { SessionSummary } from '../../domain/sessions/session-summary.ts'
import type { HeldTokens } from '../../domain/tokens/family-list-store.ts'
import type { Person } from '../../domain/users/person.ts'
import type { PersonFacts } from '../../domain/users/person-facts-store.ts'
import type { Totp } from '../../domain/users/totp-store.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { codesLeft } from '../../ui/two-factor.ts'
import { actsCard, failuresCard, sessionsCard } from './account-cards.ts'

export type SeenFacilities = { environment: Environment; facilities: readonly NamedFacility[]; count: number }

export type UserView = {
  done: Markup | null
  person: Person
  facts: PersonFacts
  totp: Totp | null
  sessions: readonly SessionSummary[]
  failures: readonly FailureCount[]
  applications: readonly ConnectedApplication[]
  tokens: readonly HeldTokens[]
  places: readonly SeenFacilities[]
  acts: readonly AuditRow[]
}

export function addressOfUser(id: string): string {
  return `/support/users/${encodeURIComponent(id)}`
}

export function userContent(view: UserView): Markup {
  const { done, person, sessions, failures, acts } = view
  const at = addressOfUser(person.id)
  return html`${done}
<div class="desk-head"><div><h1><bdi>${person.name}</bdi></h1>
<p class="lead"><bdi>${person.email}</bdi></p></div>
${person.blocked && html`<span class="tag bad">blocked</span>`}</div>
${factsCard(view)}
${signInCard(view, at)}
${failuresCard(at, failures)}
${sessionsCard(at, sessions)}
${applicationsCard(view, at)}
${actsCard(acts)}`
}

const ROLES = { NURSE_USER: 'nurse', FACILITY_USER: 'facility user' } as const

function factsCard({ person, facts, places }: UserView): Markup {
  return card(
    'about',
    'About',
    html`<dl class="facts">
<dt>Id</dt><dd><code>${person.id}</code></dd>
<dt>Kind</dt><dd>${ROLES[person.role]}</dd>
<dt>E-mail</dt><dd><bdi>${person.email}</bdi> ${isVerified(person.emailVerified)}</dd>
${person.username !== null && html`<dt>Username</dt><dd><bdi>${person.username}</bdi></dd>`}
${person.phoneNumber !== null && html`<dt>Phone</dt><dd><bdi>${person.phoneNumber}</bdi> ${isVerified(person.phoneNumberVerified)}</dd>`}
${(person.city !== null || person.state !== null) && html`<dt>Place</dt><dd><bdi>${[person.city, person.state].filter((part) => part !== null).join(', ')}</bdi></dd>`}
<dt>Made</dt><dd>${day(person.createdAt)} ${person.madeIn === null ? 'by signing up' : `by the marketplace (${person.madeIn})`}</dd>
${facts.blockedAt !== null && html`<dt>Blocked</dt><dd>${moment(facts.blockedAt)} by the marketplace, which alone lifts it</dd>`}
${places.map((place) => html`<dt>Facilities, ${place.environment}</dt><dd>${facilitiesInWords(place)}</dd>`)}
<dt>Webhooks</dt><dd>${facts.webhooks === 0 ? html`<span class="none">none</span>` : facts.webhooks}</dd>
</dl>`,
  )
}

function isVerified(verified: boolean): Markup {
  return verified ? html`<span class="tag good">verified</span>` : html`<span class="tag">not verified</span>`
}

function facilitiesInWords({ facilities, count }: SeenFacilities): Markup {
  if (count === 0) return html`<span class="none">none</span>`
  const more = count - facilities.length
  return html`${facilities.map(({ id, name }, position) => html`${position > 0 && html`<br>`}<bdi>${name}</bdi> <code class="small">${id}</code>`)}${more > 0 && html`<br>and ${more} more`}`
}

function signInCard({ facts, totp }: UserView, at: string): Markup {
  return card(
    'sign-in',
    'Sign-in',
    html`<ul class="rows">
<li><div><strong>Password</strong> ${facts.hasPassword ? html`<span class="tag good">set</span>` : html`<span class="tag">none</span>`}
<p>${facts.hasPassword ? 'Nobody can see it, support included.' : 'They choose one by the link that “Forgotten password” mails them.'}</p></div>
${facts.hasPassword && html`<a href="${at}/reset-password">Force a new one<span class="unseen"> password</span></a>`}</li>
<li><div><strong>Two-factor sign-in</strong> ${totp === null ? html`<span class="tag">off</span>` : html`<span class="tag good">on</span>`}
<p>${totp === null ? 'The password alone is asked for.' : html`Since ${day(totp.enrolledAt)}. ${codesLeft(totp.recoveryCodes)}`}</p></div>
${totp !== null && html`<a href="${at}/remove-second-factor">Remove<span class="unseen"> the second factor</span></a>`}</li>
</ul>`,
  )
}

/** What they allowed, and what was given for it: an application may have either without the other. */
function applicationsCard({ applications, tokens }: UserView, at: string): Markup {
  const names = new Map([
    ...tokens.map((held): [string, string] => [held.applicationId, held.applicationName]),
    ...applications.map((each): [string, string] => [each.id, each.name]),
  ])
  return card(
    'applications',
    'Connected applications',
    names.size === 0
      ? html`<p class="none">They have allowed none.</p>`
      : html`<ul class="rows">${[...names].map(([id, name]) => {
          const allowed = applications.find((each) => each.id === id)
          const held = tokens.find((each) => each.applicationId === id)
          return html`<li><div><strong><a href="/support/applications/${id}"><bdi>${name}</bdi></a></strong>
${allowed !== undefined && html`<p>Allowed since ${day(allowed.since)}: <bdi>${allowed.scope.join(', ')}</bdi>${allowed.audiences.length > 0 && html` at <bdi>${allowed.audiences.join(', ')}</bdi>`}</p>`}
<p>${held === undefined ? 'Holds no refresh tokens.' : html`Holds ${held.families === 1 ? 'one refresh token' : `${held.families} refresh tokens`}, the newest since ${moment(held.newest)}.`}</p></div>
<a href="${at}/withdraw?application=${encodeURIComponent(id)}">Withdraw<span class="unseen"> the access of ${name}</span></a></li>
`
        })}</ul>`,
  )
}
