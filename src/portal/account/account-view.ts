import type { AuditPage } from '../../domain/audit/audit-store.ts'
import type { Integrator } from '../../domain/integrators/integrator.ts'
import type { Membership } from '../../domain/teams/team.ts'
import type { Totp } from '../../domain/users/totp-store.ts'
import { card } from '../../ui/card.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { type ListedSession, sessionsList } from '../../ui/sessions-list.ts'
import { codesLeft } from '../../ui/two-factor.ts'
import { ownChanges } from './own-changes.ts'

export type AccountView = {
  csrf: string
  done: Markup | null
  me: Integrator
  teams: readonly Membership[]
  totp: Totp | null
  passkeys: number
  sessions: readonly ListedSession[]
  /** What was last done to the account. */
  log: AuditPage
  typedName: string
  nameFault: string | null
}

export function accountContent(view: AccountView): Markup {
  return html`${view.done}
<div class="desk-head"><div><h1>Your account</h1><p class="lead">${view.me.email}</p></div></div>
${nameCard(view)}
${signInCard(view)}
${teamsCard(view)}
${sessionsCard(view)}
${logCard(view)}`
}

function nameCard({ csrf, typedName, nameFault }: AccountView): Markup {
  return card(
    'profile',
    'About you',
    form('/portal/account/name', { csrf }, [
      field({
        name: 'name',
        label: 'Name',
        value: typedName,
        autocomplete: 'name',
        maxlength: 100,
        hint: 'Members of your teams see it.',
        error: nameFault ?? undefined,
      }),
      html`<div class="actions">${button('Save')}</div>`,
    ]),
  )
}

function signInCard({ totp, passkeys }: AccountView): Markup {
  return card(
    'security',
    'Sign-in',
    html`<ul class="rows">
<li><div><strong>Password</strong><p>Changing it signs you out everywhere else.</p></div>
<a href="/portal/account/password">Change<span class="unseen"> password</span></a></li>
<li><div><strong>Passkeys</strong> ${passkeys === 0 ? html`<span class="tag">none</span>` : html`<span class="tag good">${passkeys}</span>`}
<p>Sign in with your fingerprint, face or security key, in place of password and code.</p></div>
<a href="/portal/account/passkeys${passkeys === 0 && '/new'}">${passkeys === 0 ? 'Add' : 'Manage'}<span class="unseen"> ${passkeys === 0 ? 'a passkey' : 'passkeys'}</span></a></li>
<li><div><strong>Two-factor sign-in</strong> ${totp === null ? html`<span class="tag">off</span>` : html`<span class="tag good">on</span>`}
<p>${totp === null ? 'A code from your phone as well as your password, so that a stolen password is not enough.' : codesLeft(totp.recoveryCodes)}</p></div>
<a href="/portal/account/two-factor${totp === null && '/set-up'}">${totp === null ? 'Turn on' : 'Manage'}<span class="unseen"> two-factor sign-in</span></a></li>
</ul>`,
  )
}

function teamsCard({ teams }: AccountView): Markup {
  return card(
    'teams',
    'Your teams',
    teams.length === 0
      ? html`<p class="none">You are in no team.</p>`
      : html`<ul class="rows">${teams.map(
          ({ id, name, role }) => html`<li><div><strong>${name}</strong><p>${role}</p></div>
<a href="/portal/teams/${id}">Open<span class="unseen"> ${name}</span></a></li>`,
        )}</ul>`,
    html`<a href="/portal/teams/new">Create ${teams.length === 0 ? 'a' : 'another'} team</a>`,
  )
}

function sessionsCard({ csrf, sessions }: AccountView): Markup {
  return card('sessions', 'Where you are signed in', sessionsList('/portal/account', csrf, sessions))
}

function logCard({ log }: AccountView): Markup {
  return card(
    'log',
    'Last changes to your account',
    log.rows.length === 0 ? html`<p class="none">Nothing was changed yet.</p>` : ownChanges(log.rows),
    log.older !== null && html`<a href="/portal/account/log">All changes</a>`,
  )
}
