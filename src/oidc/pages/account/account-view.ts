import type { ConnectedApplication } from '../../../domain/consents/consent-store.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { Totp } from '../../../domain/users/totp-store.ts'
import type { Role, User } from '../../../domain/users/user.ts'
import { button, form, notice } from '../../../ui/form.ts'
import { type Content, html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { day } from '../../../ui/moment.ts'
import { type ListedSession, sessionsList } from '../../../ui/sessions-list.ts'
import { codesLeft } from '../../../ui/two-factor.ts'
import { scopeInWords } from '../scope-words.ts'

export type AccountView = {
  csrf: string
  done: string | null
  user: User
  totp: Totp | null
  applications: Array<ConnectedApplication & { environments: Environment[] }>
  sessions: ListedSession[]
}

const ROLES: Record<Role, string> = { NURSE_USER: 'Nurse', FACILITY_USER: 'Facility user' }
const DATA: Record<Environment, string> = { production: 'your real data', sandbox: 'sandbox data' }

export function accountPage(view: AccountView): Markup {
  const { csrf, done, user } = view
  return page(
    'Your account',
    html`<div class="person">
${user.picture === null ? html`<span class="face" aria-hidden="true">${initial(user.name)}</span>` : html`<img class="face" src="${user.picture}" alt="" width="64" height="64" referrerpolicy="no-referrer">`}
<div><h1>${user.name}</h1><p>${user.email} · ${ROLES[user.role]}</p></div>
${form('/oidc/logout/confirm', { csrf }, button('Sign out', { kind: 'quiet' }))}
</div>
${done !== null && notice('done', done)}
${profilePart(user)}
${securityPart(view)}
${applicationsPart(view)}
${sessionsPart(view)}`,
  )
}

function part(id: string, title: string, link: Content, content: Content): Markup {
  return html`<section class="part" aria-labelledby="${id}">
<div class="part-head"><h2 id="${id}">${title}</h2>${link}</div>
${content}
</section>`
}

function profilePart(user: User): Markup {
  const place = [user.city, user.state].filter((each) => each !== null).join(', ')
  const facts: Array<[string, string | null]> = [
    ['Name', user.name],
    ['Nickname', user.nickname],
    ['E-mail', user.email],
    ['Username', user.username],
    ['Phone', user.phoneNumber],
    ['Place', place || null],
  ]
  return part(
    'profile',
    'Profile',
    html`<a href="/oidc/account/profile">Edit<span class="unseen"> profile</span></a>`,
    html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value ?? html`<span class="none">not given</span>`}</dd>`)}</dl>`,
  )
}

function securityPart({ totp }: AccountView): Markup {
  return part(
    'security',
    'Sign-in',
    null,
    html`<ul class="rows">
<li><div><strong>Password</strong><p>Changing it signs you out everywhere else.</p></div>
<a href="/oidc/account/password">Change<span class="unseen"> password</span></a></li>
<li><div><strong>Two-factor sign-in</strong> ${totp === null ? html`<span class="tag">off</span>` : html`<span class="tag good">on</span>`}
<p>${totp === null ? 'A code from your phone as well as your password, so that a stolen password is not enough.' : codesLeft(totp.recoveryCodes)}</p></div>
<a href="/oidc/account/two-factor${totp === null && '/set-up'}">${totp === null ? 'Turn on' : 'Manage'}<span class="unseen"> two-factor sign-in</span></a></li>
</ul>`,
  )
}

function applicationsPart({ csrf, applications }: AccountView): Markup {
  const one = (application: AccountView['applications'][number]) => html`<li>
<div>
<div class="titled">${application.logoUrl !== null && html`<img src="${application.logoUrl}" alt="" width="32" height="32" referrerpolicy="no-referrer">`}<strong>${application.name}</strong></div>
<p>Connected since ${day(application.since)}.${application.environments.length > 0 && ` It works with ${application.environments.map((each) => DATA[each]).join(' and ')}.`}</p>
<ul class="allow">${scopeInWords(application.scope).map((words) => html`<li>${words}</li>`)}</ul>
</div>
${form(
  '/oidc/account/applications/revoke',
  { csrf, application: application.id },
  html`<button type="submit" class="danger">Remove<span class="unseen"> the access of ${application.name}</span></button>`,
)}</li>`
  return part(
    'applications',
    'Connected applications',
    null,
    applications.length === 0
      ? html`<p class="none">No application has access to your account.</p>`
      : html`<ul class="rows">${applications.map(one)}</ul>`,
  )
}

function sessionsPart({ csrf, sessions }: AccountView): Markup {
  return part('sessions', 'Where you are signed in', null, sessionsList('/oidc/account', csrf, sessions))
}

function initial(name: string): string {
  return String.fromCodePoint(name.codePointAt(0) ?? 0x20).toUpperCase()
}
