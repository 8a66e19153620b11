import type { AuditRow } from '../../domain/audit/audit.ts'
import type { FailureCount } from '../../domain/limits/lock-store.ts'
import type { SessionSummary } from '../../domain/sessions/session-summary.ts'
import { card } from '../../ui/card.ts'
import { deviceInWords } from '../../ui/device-words.ts'
import { html, type Markup } from '../../ui/html.ts'
import { moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { auditEntries } from '../audit/entries.ts'

/** What the pages of people and of integrators have in common. `at` is the address of the account's page. */
export function sessionsCard(at: string, sessions: readonly SessionSummary[]): Markup {
  return card(
    'sessions',
    'Where they are signed in',
    sessions.length === 0
      ? html`<p class="none">Nowhere at present.</p>`
      : html`<ul class="rows">${sessions.map((session) => sessionRow(at, session))}</ul>`,
    sessions.length > 0 && html`<a href="${at}/end-sessions">End all</a>`,
  )
}

function sessionRow(at: string, { sid, userAgent, address, authTime, lastSeenAt }: SessionSummary): Markup {
  const device = deviceInWords(userAgent)
  return html`<li><div><strong>${device}</strong>
<p>From ${address}. Signed in ${moment(authTime)}, last seen ${moment(lastSeenAt)}.</p></div>
<a href="${at}/end-session?session=${encodeURIComponent(sid)}">End<span class="unseen"> the session of ${device} from ${address}</span></a></li>`
}

export function failuresCard(at: string, failures: readonly FailureCount[]): Markup {
  const isLocked = failures.some((failure) => failure.isLocked)
  return card(
    'failures',
    html`Failed sign-ins ${isLocked && html`<span class="tag bad">locked</span>`}`,
    failures.length === 0
      ? html`<p class="none">None that still count: nothing keeps them from signing in.</p>`
      : table({
          caption: 'Failed attempts that still count',
          columns: ['What', 'From', 'Failures', 'Counts until'],
          rows: failures.map((failure) => [
            failure.of === 'password' ? 'Password' : 'One-time code',
            failure.address === null ? 'everywhere' : html`<code>${failure.address}</code>`,
            html`${failure.failures} of ${failure.most} ${failure.isLocked && html`<span class="tag bad">locked</span>`}`,
            moment(failure.until),
          ]),
        }),
    failures.length > 0 && html`<a href="${at}/unlock">Unlock</a>`,
  )
}

export function actsCard(rows: readonly AuditRow[]): Markup {
  return card(
    'acts',
    'What support did here',
    rows.length === 0
      ? html`<p class="none">Nothing yet.</p>`
      : auditEntries(rows.map(ofThisAccount), { about: false }),
  )
}

/** Without what the page says already. */
function ofThisAccount(row: AuditRow): AuditRow {
  const { account: _account, email: _email, ...after } = row.after ?? {}
  return { ...row, after }
}
