import type { Integrator } from '../../domain/integrators/integrator.ts'
import type { IntegratorSessionSummary } from '../../domain/integrators/integrator-session-store.ts'
import type { Membership } from '../../domain/teams/team.ts'
import type { Totp } from '../../domain/users/totp-store.ts'
import { deviceInWords } from '../../ui/device-words.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { card } from '../../ui/portal-layout.ts'
import { codesLeft } from '../../ui/two-factor.ts'

export type AccountView = {
  csrf: string
  done: Markup | null
  me: Integrator
  teams: readonly Membership[]
  totp: Totp | null
  sessions: ReadonlyArray<IntegratorSessionSummary & { isThisOne: boolean }>
  typedName: string
  nameFault: string | null
}

export function accountContent(view: AccountView): Markup {
  return html`${view.done}
<div class="desk-head"><div><h1>Your account</h1><p class="lead">${view.me.email}</p></div></div>
${nameCard(view)}
${signInCard(view)}
${teamsCard(view)}
${sessionsCard(view)}`
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

function signInCard({ totp }: AccountView): Markup {
  return card(
    'security',
    'Sign-in',
    html`<ul class="rows">
<li><div><strong>Password</strong><p>Changing it signs you out everywhere else.</p></div>
<a href="/portal/account/password">Change<span class="unseen"> password</span></a></li>
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
  const one = ({
    sid,
    userAgent,
    address,
    authTime,
    lastSeenAt,
    isThisOne,
  }: AccountView['sessions'][number]) => html`<li>
<div><strong>${deviceInWords(userAgent)}</strong>${isThisOne && html` <span class="tag good">this browser</span>`}
<p>From ${address}. Signed in ${moment(authTime)}${!isThisOne && html`, last seen ${moment(lastSeenAt)}`}.</p></div>
${
  !isThisOne &&
  form(
    '/portal/account/sessions/end',
    { csrf, session: sid },
    html`<button type="submit" class="quiet">End<span class="unseen"> the session of ${deviceInWords(userAgent)} from ${address}</span></button>`,
  )
}</li>`
  return card(
    'sessions',
    'Where you are signed in',
    html`<ul class="rows">${sessions.map(one)}</ul>
${sessions.length > 1 && form('/portal/account/sessions/end-others', { csrf }, html`<div class="actions">${button('Sign out everywhere else', { kind: 'danger' })}</div>`)}`,
  )
}
