import type { StaffMember } from '../../domain/staff/staff.ts'
import type { Totp } from '../../domain/users/totp-store.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { type ListedSession, sessionsList } from '../../ui/sessions-list.ts'
import { codesLeft } from '../../ui/two-factor.ts'

export type AccountView = {
  csrf: string
  done: Markup | null
  me: StaffMember
  totp: Totp | null
  sessions: readonly ListedSession[]
}

export function accountContent({ csrf, done, me, totp, sessions }: AccountView): Markup {
  return html`${done}
<div class="desk-head"><div><h1>${me.name}</h1><p class="lead">${me.email}</p></div></div>
${card(
  'security',
  'Sign-in',
  html`<ul class="rows">
<li><div><strong>Password</strong><p>Changing it signs you out everywhere else.</p></div>
<a href="/support/account/password">Change<span class="unseen"> password</span></a></li>
<li><div><strong>Two-factor sign-in</strong> ${totp === null ? html`<span class="tag bad">off</span>` : html`<span class="tag good">on</span>`}
<p>${totp === null ? 'Demo mode does without; anywhere else the console asks for it.' : codesLeft(totp.recoveryCodes)}</p></div>
<a href="/support/account/two-factor${totp === null && '/set-up'}">${totp === null ? 'Turn on' : 'Manage'}<span class="unseen"> two-factor sign-in</span></a></li>
</ul>`,
)}
${card('sessions', 'Where you are signed in', sessionsList('/support/account', csrf, sessions))}`
}
