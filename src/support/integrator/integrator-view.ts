import type { AuditRow } from '../../domain/audit/audit.ts'
import type { Integrator } from '../../domain/integrators/integrator.ts'
import type { FailureCount } from '../../domain/limits/lock-store.ts'
import type { SessionSummary } from '../../domain/sessions/session-summary.ts'
import type { Membership } from '../../domain/teams/team.ts'
import type { Totp } from '../../domain/users/totp-store.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day } from '../../ui/moment.ts'
import { codesLeft } from '../../ui/two-factor.ts'
import { actsCard, failuresCard, sessionsCard } from '../user/account-cards.ts'

export type IntegratorView = {
  done: Markup | null
  integrator: Integrator
  since: Date
  teams: readonly Membership[]
  totp: Totp | null
  passkeys: number
  sessions: readonly SessionSummary[]
  failures: readonly FailureCount[]
  acts: readonly AuditRow[]
}

export function addressOfIntegrator(id: string): string {
  return `/support/integrators/${id}`
}

export function integratorContent(view: IntegratorView): Markup {
  const { done, integrator, since, teams, sessions, failures, acts } = view
  const at = addressOfIntegrator(integrator.id)
  return html`${done}
<div class="desk-head"><div><h1><bdi>${integrator.name}</bdi></h1>
<p class="lead"><bdi>${integrator.email}</bdi></p></div></div>
${card(
  'about',
  'About',
  html`<dl class="facts">
<dt>Id</dt><dd><code>${integrator.id}</code></dd>
<dt>Made</dt><dd>${day(since)}</dd>
<dt>Teams</dt><dd>${teams.length === 0 ? html`<span class="none">none</span>` : teams.map(({ id, name, role }, position) => html`${position > 0 && html`<br>`}<a href="/support/teams/${id}"><bdi>${name}</bdi></a> <span class="tag">${role}</span>`)}</dd>
<dt>What they did</dt><dd><a href="/support/audit?actor=${integrator.id}">In the audit log</a></dd>
</dl>`,
)}
${signInCard(view, at)}
${failuresCard(at, failures)}
${sessionsCard(at, sessions)}
${actsCard(acts)}`
}

function signInCard({ totp, passkeys }: IntegratorView, at: string): Markup {
  return card(
    'sign-in',
    'Sign-in',
    html`<ul class="rows">
<li><div><strong>Password</strong><p>Nobody can see it, support included.</p></div>
<a href="${at}/reset-password">Force a new one<span class="unseen"> password</span></a></li>
<li><div><strong>Two-factor sign-in</strong> ${totp === null ? html`<span class="tag">off</span>` : html`<span class="tag good">on</span>`}
<p>${totp === null ? 'The password alone is asked for.' : html`Since ${day(totp.enrolledAt)}. ${codesLeft(totp.recoveryCodes)}`}</p></div>
${totp !== null && html`<a href="${at}/remove-second-factor">Remove<span class="unseen"> the second factor</span></a>`}</li>
<li><div><strong>Passkeys</strong> <span class="tag${passkeys > 0 && ' good'}">${passkeys}</span>
<p>${passkeys === 0 ? 'They have none.' : 'Each signs in by itself, whatever the password is.'}</p></div>
${passkeys > 0 && html`<a href="${at}/remove-passkeys">Remove<span class="unseen"> all passkeys</span></a>`}</li>
</ul>`,
  )
}
