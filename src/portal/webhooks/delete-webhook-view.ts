import type { Environment } from '../../domain/environment.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'

export function deleteContent(view: { at: string; csrf: string; webhook: Webhook; environment: Environment }): Markup {
  const { at, csrf, webhook, environment } = view
  return card(
    'delete',
    'Delete this webhook?',
    html`<ul class="plain">
<li>Nothing is sent to it any more, from this moment on.</li>
<li>What still waits for it is cancelled, and its deliveries can no longer be looked at here.</li>
<li>Its secrets are gone. A new webhook for the same URL has others.</li>
${webhook.userId !== null && html`<li>It was registered for a person by the API; that person gets nothing through it any more.</li>`}
</ul>
${environment === 'production' && html`<p class="note alarm">This is production.</p>`}
<p class="faint">To stop for a while, disable it instead: events are held then.</p>
${form(`${at}/delete`, { csrf }, html`<div class="actions">${button('Delete the webhook', { kind: 'danger' })}<a class="button quiet" href="${at}">Keep it</a></div>`)}`,
  )
}
