import type { Application } from '../../domain/applications/application.ts'
import { RESTORABLE_DAYS } from '../../domain/applications/delete-application-store.ts'
import { card } from '../../ui/card.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'

export type DeleteView = { csrf: string; path: string; application: Application; typed: string; fault: string | null }

export function deleteContent({ csrf, path, application, typed, fault }: DeleteView): Markup {
  return html`<p class="crumb"><a href="${path}/settings">Settings</a></p>
${card(
  'delete',
  html`Shall ${application.name} be deleted?`,
  html`<p>Within a second:</p>
<ul class="allow">
<li>its tokens and secrets are refused, and nobody can sign in to it;</li>
<li>nothing is sent to its webhooks. Events wait for them, and are kept for 30 days.</li>
</ul>
<p>An owner can restore it for ${RESTORABLE_DAYS} days, with everything it had. After that it is gone for good, with its
webhooks, deliveries and test data.</p>
${form(`${path}/delete`, { csrf }, [
  field({
    name: 'name',
    label: 'Type the name of the application',
    value: typed,
    autocomplete: 'off',
    hint: application.name,
    error: fault ?? undefined,
  }),
  html`<div class="actions">${button('Delete the application', { kind: 'danger' })}<a class="button quiet" href="${path}/settings">Keep it</a></div>`,
])}`,
)}`
}
