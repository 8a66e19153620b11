import { type CommandLineKey, KEY_DAYS } from '../../domain/command-line/command-line-key.ts'
import { type Membership, may } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { snippet } from '../../ui/snippet.ts'
import { table } from '../../ui/table.ts'

export type KeysView = {
  /** /portal/teams/…/applications/… */
  path: string
  team: Membership
  done: Markup | null
  keys: readonly CommandLineKey[]
  baseUrl: string
}

export function keysContent(view: KeysView): Markup {
  return html`${view.done}
${keysCard(view)}
${howCard(view)}`
}

function keysCard({ path, team, keys }: KeysView): Markup {
  const changes = may(team.role, 'key.change')
  const rows = keys.map((key) => [
    html`<strong>${key.name}</strong><br><span class="faint">${key.madeBy}</span>`,
    day(key.createdAt),
    key.lastUsedAt === null ? html`<span class="none">never</span>` : moment(key.lastUsedAt),
    day(key.expiresAt),
    ...(changes
      ? [
          html`<a href="${path}/command-line/${key.id}/revoke">Revoke<span class="unseen"> the login of ${key.name}</span></a>`,
        ]
      : []),
  ])
  const columns = ['Computer', 'Logged in', 'Last used', 'Until', ...(changes ? [''] : [])]
  return card(
    'keys',
    'Logged in',
    rows.length === 0
      ? html`<p class="none">No command line is logged in for this application.</p>`
      : html`<p class="faint">Each works in the sandbox of this application, and ends with the membership and the password of who allowed it.</p>
${table({ caption: 'Command lines that are logged in', columns, rows })}`,
  )
}

function howCard({ baseUrl }: KeysView): Markup {
  return card(
    'how',
    'Working from a terminal',
    html`<p class="faint">In a checkout of Handover, where <code>npm start</code> works too. A login is good for ${KEY_DAYS} days; machines use
<code>HANDOVER_CLIENT_ID</code> and <code>HANDOVER_CLIENT_SECRET</code> instead.</p>
${snippet(
  'Log in, receive webhooks on this computer, and make one happen',
  `npx handover login --url ${baseUrl}
npx handover listen --forward-to localhost:3000/hooks
npx handover trigger shift.created`,
)}
<p class="faint">The page that opens asks which application: choose this one.</p>`,
  )
}

export function revokeKeyContent({ csrf, path, key }: { csrf: string; path: string; key: CommandLineKey }): Markup {
  return html`<p class="crumb"><a href="${path}/command-line">Command line</a></p>
${card(
  'revoke',
  html`Revoke the login of “${key.name}”?`,
  html`<p>${key.lastUsedAt === null ? 'It was never used.' : html`It was last used ${moment(key.lastUsedAt)}.`} Whatever still uses it is
refused within a second. To work from that computer again, somebody logs in again.</p>
${form(`${path}/command-line/${key.id}/revoke`, { csrf }, html`<div class="actions">${button('Revoke the login', { kind: 'danger' })}<a class="button quiet" href="${path}/command-line">Keep it</a></div>`)}`,
)}`
}
