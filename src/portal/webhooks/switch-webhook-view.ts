import { type Health, MOST_WAITING } from '../../domain/deliveries/webhook-health-store.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { choice } from '../../ui/choice.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'

export type EnableView = {
  at: string
  csrf: string
  webhook: Webhook
  waiting: Health['waiting']
  fault: string | null
}

export function enableContent({ at, csrf, webhook, waiting, fault }: EnableView): Markup {
  if (webhook.disabledBecause === null)
    return card(
      'enable',
      'It is enabled',
      html`<p>Everything is sent as it happens.</p><p class="actions"><a class="button quiet" href="${at}">Back to the webhook</a></p>`,
    )
  return html`${faultSummary({ held: 'What was held' }, fault === null ? {} : { held: fault })}
${card(
  'enable',
  'Enable this webhook?',
  html`<p>${heldWords(waiting.pending)} Earlier failures are forgotten, and the circuit is closed.</p>
${form(`${at}/enable`, { csrf }, [
  choice({
    name: 'held',
    legend: 'What was held meanwhile',
    options: [
      { value: 'send', label: 'Send it now', hint: 'Oldest first, at the webhook’s rate' },
      { value: 'keep', label: 'Keep it', hint: 'Until each is sent by hand, or all are replayed' },
    ],
    value: 'send',
    error: fault ?? undefined,
  }),
  html`<div class="actions">${button('Enable')}<a class="button quiet" href="${at}">Cancel</a></div>`,
])}`,
)}`
}

function heldWords(count: number): string {
  if (count === 0) return 'Nothing was held.'
  if (count > MOST_WAITING) return `More than ${MOST_WAITING.toLocaleString('en')} deliveries are held.`
  return count === 1 ? '1 delivery is held.' : `${count.toLocaleString('en')} deliveries are held.`
}
