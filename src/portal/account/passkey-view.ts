import type { Passkey } from '../../domain/integrators/passkey.ts'
import { card } from '../../ui/card.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { passkeyNameField } from './add-passkey-view.ts'
import { PASSKEYS, syncedTag, used } from './passkeys-view.ts'

export function passkeyContent(view: { csrf: string; passkey: Passkey; typed: string; fault: string | null }): Markup {
  const { csrf, passkey, typed, fault } = view
  const at = `${PASSKEYS}/${passkey.id}`
  return html`<p class="crumb"><a href="${PASSKEYS}">Passkeys</a></p>
<div class="desk-head"><div><h1><bdi>${passkey.name}</bdi>${syncedTag(passkey)}</h1><p class="lead">${used(passkey)}</p></div></div>
${card(
  'rename',
  'Rename it',
  form(`${at}/name`, { csrf }, [
    passkeyNameField(typed, fault ?? undefined),
    html`<div class="actions">${button('Save')}</div>`,
  ]),
)}
${card(
  'remove',
  'Remove it',
  html`<p>Nobody can sign in with it any more. Whoever is signed in stays so; you can end sessions on the page of your account.
Your password goes on working.</p>
${form(`${at}/remove`, { csrf }, html`<div class="actions">${button('Remove the passkey', { kind: 'danger' })}</div>`)}`,
)}`
}
