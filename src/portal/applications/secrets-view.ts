import type { Application } from '../../domain/applications/application.ts'
import { type LiveSecret, MOST_SECRETS } from '../../domain/applications/client-secret-store.ts'
import { isSafeToRevoke } from '../../domain/applications/unused-secret.ts'
import { type Membership, may } from '../../domain/teams/team.ts'
import { card } from '../../ui/card.ts'
import { checkbox } from '../../ui/checkbox.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import { shownOnce } from './shown-once.ts'

export const LONGEST_SECRET_NAME = 60

export type SecretsView = {
  csrf: string
  /** /portal/teams/…/applications/… */
  path: string
  team: Membership
  application: Application
  done: Markup | null
  secrets: readonly LiveSecret[]
  /** Of the secret that the form would make, sealed. */
  made: string
  now: Date
  typedName: string
  faults: { name?: string; page?: string }
}

export function secretsContent(view: SecretsView): Markup {
  const { done, faults, secrets } = view
  return html`${done}
${faults.page !== undefined && notice('error', faults.page)}
${(secrets.length > 0 || view.application.tokenEndpointAuthentication !== 'none') && liveCard(view)}
${newCard(view)}`
}

function liveCard({ path, team, secrets, now }: SecretsView): Markup {
  if (secrets.length === 0)
    return card(
      'live',
      'Client secrets',
      html`<p class="none">There is none. Every request that needs a secret is refused.</p>`,
    )
  const changes = may(team.role, 'secret.change')
  const rows = secrets.map((secret) => [
    html`<strong>${secret.name}</strong>${
      isSafeToRevoke(secret, secrets, now) && html`<br><span class="tag">unused for 24 h: safe to revoke</span>`
    }`,
    day(secret.createdAt),
    secret.lastUsedAt === null ? html`<span class="none">never</span>` : moment(secret.lastUsedAt),
    ...(changes
      ? [html`<a href="${path}/secrets/${secret.id}/revoke">Revoke<span class="unseen"> ${secret.name}</span></a>`]
      : []),
  ])
  const columns = ['Name', 'Created', 'Last used', ...(changes ? [''] : [])]
  return card(
    'live',
    'Client secrets',
    html`<p class="faint">Each of them works. The last use is written down within a quarter of a minute.</p>
${table({ caption: 'Client secrets that work', columns, rows })}`,
  )
}

function newCard({ csrf, path, team, application, secrets, made, typedName, faults }: SecretsView): Markup | null {
  if (application.tokenEndpointAuthentication === 'none')
    return card(
      'none',
      'This application keeps no secret',
      html`<p>What runs on people’s devices can be read by everybody, so it proves itself by PKCE instead. If it has a back end
after all, <a href="${path}/support">ask support</a> for authentication at the token endpoint.</p>`,
    )
  if (!may(team.role, 'secret.change')) return null
  if (secrets.length >= MOST_SECRETS)
    return card(
      'rotate',
      'Replacing one',
      html`<p>Two secrets are the most, so that one can be replaced while the other still works. Once nothing uses the old one any
more, revoke it; then there is room for another.</p>`,
    )
  return card(
    'new',
    secrets.length === 0 ? 'Make a secret' : 'Replace it without a gap',
    html`${secrets.length > 0 && html`<p class="faint">Make a second one, put it into your application, and revoke the first once it is unused. No request fails meanwhile.</p>`}
${form(`${path}/secrets`, { csrf, made }, [
  field({
    name: 'name',
    label: 'Name',
    value: typedName,
    autocomplete: 'off',
    maxlength: LONGEST_SECRET_NAME,
    hint: 'Such as where it is used, or the month it was made.',
    error: faults.name,
  }),
  html`<div class="actions">${button('Make the secret')}</div>`,
])}`,
  )
}

/** The only time that it is seen. */
export function secretMadeContent(path: string, application: Application, secret: string): Markup {
  return html`${notice('done', 'The secret is made. It works everywhere within a second.')}
${shownOnce([
  ['Client ID', application.id],
  ['Client secret', secret],
])}
<p class="actions"><a class="button" href="${path}/secrets">I have kept it</a></p>`
}

export type RevokeView = {
  csrf: string
  path: string
  secret: LiveSecret
  isLast: boolean
  fault: string | null
}

export function revokeContent({ csrf, path, secret, isLast, fault }: RevokeView): Markup {
  return html`<p class="crumb"><a href="${path}/secrets">Client secrets</a></p>
${card(
  'revoke',
  html`Revoke “${secret.name}”?`,
  html`${
    isLast &&
    html`<p class="notice error" role="alert"><strong>It is the only secret that works.</strong> From then on every request that needs one is refused, until you make another.</p>`
  }
<p>${
    secret.lastUsedAt === null
      ? 'It was never used.'
      : html`It was last used ${moment(secret.lastUsedAt)}. Whatever still uses it is refused within a second.`
  } This cannot be undone.</p>
${form(`${path}/secrets/${secret.id}/revoke`, { csrf }, [
  isLast &&
    checkbox({
      name: 'understood',
      label: 'I know that nothing works without a secret',
      checked: false,
      error: fault ?? undefined,
    }),
  html`<div class="actions">${button('Revoke the secret', { kind: 'danger' })}<a class="button quiet" href="${path}/secrets">Keep it</a></div>`,
])}`,
)}`
}
