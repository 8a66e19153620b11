import type { Standing } from '../../domain/deliveries/webhook-standing-store.ts'
import type { DisabledReason, Webhook } from '../../domain/webhooks/webhook.ts'
import { html, type Markup } from '../../ui/html.ts'

const DISABLED: Record<DisabledReason, string> = {
  by_request: 'disabled by request',
  gone: 'disabled: its receiver answered 410 Gone',
  failing: 'disabled: it failed for five days',
}

/** How a webhook stands, in a few words. */
export function webhookTags(
  { disabledBecause, listener, userId, kind }: Pick<Webhook, 'disabledBecause' | 'listener' | 'userId' | 'kind'>,
  standing: Standing | undefined,
): Markup {
  return html`${stateTag(disabledBecause, standing)}${listener !== null && html` <span class="tag">handover listen: ${listener}</span>`}${kind === 'user' && html` <span class="tag">user events</span>`}${
    userId !== null && html` <span class="tag">a person’s</span>`
  }`
}

function stateTag(disabledBecause: DisabledReason | null, standing: Standing | undefined): Markup {
  if (disabledBecause !== null) return html`<span class="tag bad">${DISABLED[disabledBecause]}</span>`
  if (standing?.circuit.open === true) return html`<span class="tag bad">circuit open</span>`
  if (standing !== undefined && standing.failingSince !== null) return html`<span class="tag bad">failing</span>`
  return html`<span class="tag good">enabled</span>`
}
