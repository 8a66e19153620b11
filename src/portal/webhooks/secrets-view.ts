import { MAX_SECRETS, versionOf, type Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { rawText } from '../../ui/raw-text.ts'

export type SecretsView = {
  at: string
  csrf: string
  webhook: Webhook
  /** Null until somebody asked to see them. */
  revealed: readonly string[] | null
  may: { change: boolean; reveal: boolean }
}

/** The secrets that sign, and the three steps of a rotation; at every moment at least one signs that receivers know. */
export function secretsCard(view: SecretsView): Markup {
  const { at, csrf, webhook, revealed, may } = view
  const isPersons = webhook.userId !== null
  return card(
    'secrets',
    webhook.secrets.length === 1 ? 'Signing secret' : 'Signing secrets',
    html`<p class="faint">What we send is signed with ${webhook.secrets.length === 1 ? 'this secret' : 'each of these secrets, so a receiver that knows either can verify it'}, as Standard Webhooks has it.</p>
${revealed === null ? hidden(webhook.secrets.length) : shown(revealed)}
${
  may.reveal &&
  revealed === null &&
  form(
    `${at}/secrets`,
    { csrf },
    html`<div class="actions">${button(webhook.secrets.length === 1 ? 'Reveal the secret' : 'Reveal the secrets', { kind: 'quiet' })}</div>
<p class="hint">That it was shown, and to whom, goes to the audit log.</p>`,
  )
}
${!may.reveal && html`<p class="hint">Owners and developers of the team can see it.</p>`}
${may.change && (isPersons ? html`<p class="hint">It was registered for a person by the API, and its secrets are changed there.</p>` : rotation(view))}`,
  )
}

function hidden(count: number): Markup {
  return html`<ol class="secrets">${Array.from({ length: count }, (_, position) => html`<li><code>••••••••••••••••</code> <span class="faint">${nameOf(position, count)}</span></li>`)}</ol>`
}

function shown(secrets: readonly string[]): Markup {
  return html`<ol class="secrets">${secrets.map((secret, position) => html`<li><code data-copy="secret">${rawText(secret)}</code> <span class="faint">${nameOf(position, secrets.length)}</span></li>`)}</ol>`
}

function nameOf(position: number, count: number): string {
  if (count === 1) return ''
  return position === 0 ? 'the new one' : 'the old one'
}

function rotation({ at, csrf, webhook }: SecretsView): Markup {
  const hiddenFields = { csrf, version: versionOf(webhook) }
  if (webhook.secrets.length < MAX_SECRETS)
    return html`<h3>Replace it without a gap</h3>
<ol class="ways">
<li><strong>Add a new one.</strong> From then on both sign everything.</li>
<li><strong>Give the new one to your receiver.</strong> It verifies with either meanwhile.</li>
<li><strong>Remove the old one.</strong></li>
</ol>
${form(`${at}/secrets/add`, hiddenFields, html`<div class="actions">${button('Add a new secret', { kind: 'quiet' })}</div>`)}`
  return html`<h3>Finish the rotation</h3>
<p>When your receiver knows the new secret, remove the old one. If something is wrong with the new one, take that back instead.</p>
<div class="actions">${form(`${at}/secrets/remove`, { ...hiddenFields, which: 'old' }, button('Remove the old secret'))}
${form(`${at}/secrets/remove`, { ...hiddenFields, which: 'new' }, button('Take back the new secret', { kind: 'danger' }))}</div>`
}
