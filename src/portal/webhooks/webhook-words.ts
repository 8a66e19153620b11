import type { Standing } from '../../domain/deliveries/webhook-standing-store.ts'
import { ALL_EVENTS, eventsOf } from '../../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../../domain/webhooks/webhook.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'

const FEW = 2

/** Names of events are code; many of them are a number. */
export function eventsInWords(events: readonly string[]): Content {
  if (events.includes(ALL_EVENTS)) return 'every event'
  const more = events.length - FEW
  const shown = events.slice(0, more === 1 ? FEW + 1 : FEW)
  return html`${shown.map((each) => html`<code>${each}</code> `)}${more > 1 && `and ${more} more`}`
}

export function facilitiesInWords(kind: WebhookKind, count: number): Content {
  if (kind === 'user') return html`<span class="none">of people</span>`
  return count === 1 ? '1 facility' : `${count.toLocaleString('en')} facilities`
}

/** How many of those that came to an end succeeded, and how many were tried and still wait. */
export function rateInWords({
  delivered,
  failed,
  unfinished,
}: Pick<Standing, 'delivered' | 'failed' | 'unfinished'>): Markup {
  const total = delivered + failed
  const waiting = unfinished.toLocaleString('en')
  if (total === 0 && unfinished === 0) return html`<span class="none">nothing sent</span>`
  if (total === 0) return html`<span class="whole">none of ${waiting} yet</span>`
  return html`<span class="whole">${percent(delivered, total)}</span> <span class="faint whole">of ${total.toLocaleString('en')}</span>${
    unfinished > 0 && html` <span class="faint whole">and ${waiting} not yet</span>`
  }`
}

/** Never rounded to all or nothing when it was neither. */
export function percent(good: number, total: number): string {
  if (good === total) return '100 %'
  if (good === 0) return '0 %'
  return `${Math.min(99.9, Math.max(0.1, (good / total) * 100)).toFixed(1)} %`
}

export function eventChoices(kind: WebhookKind): ReadonlyArray<{ value: string; label: Content; hint?: Content }> {
  return [
    { value: ALL_EVENTS, label: html`<strong>Every event</strong>`, hint: 'Those to come included' },
    ...eventsOf(kind).map((value) => ({ value, label: html`<code>${value}</code>` })),
  ]
}
