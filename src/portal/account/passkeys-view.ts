import type { Passkey } from '../../domain/integrators/passkey.ts'
import { accountPart } from '../../ui/account-part.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'

export const PASSKEYS = '/portal/account/passkeys'

export function passkeysContent({ done, passkeys }: { done: Markup | null; passkeys: readonly Passkey[] }): Markup {
  const content = html`<h1>Passkeys</h1>
<p class="lead">You sign in with your fingerprint, your face, the lock of your screen or a security key. A passkey takes the
place of password and code together, and it cannot be typed into the wrong page.</p>
${passkeys.length === 0 ? html`<p class="none">You have none yet.</p>` : html`<ul class="rows">${passkeys.map(row)}</ul>`}
<div class="actions"><a class="button" href="${PASSKEYS}/new">Add ${passkeys.length === 0 ? 'a' : 'another'} passkey</a></div>`
  return html`${done}
${accountPart('/portal/account', content)}`
}

function row(passkey: Passkey): Markup {
  return html`<li><div><strong><bdi>${passkey.name}</bdi></strong>${syncedTag(passkey)}
<p>${used(passkey)}</p></div>
<a href="${PASSKEYS}/${passkey.id}">Manage<span class="unseen"> ${passkey.name}</span></a></li>`
}

export function syncedTag({ synced }: Passkey): Markup | false {
  return synced && html` <span class="tag">synced</span>`
}

export function used({ createdAt, lastUsedAt }: Passkey): Markup {
  return html`Added ${day(createdAt)}, ${lastUsedAt === null ? 'not used yet' : html`last used ${moment(lastUsedAt)}`}.`
}
