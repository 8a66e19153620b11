import { DELIVERY_STATES, type Delivery } from '../../domain/deliveries/delivery.ts'
import { eventsOf } from '../../domain/webhooks/event-names.ts'
import type { WebhookKind } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { field } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { select } from '../../ui/select.ts'
import { type FilterFaults, filterQuery, isFiltering, type TypedFilter } from './delivery-filter.ts'
import { deliveryTable } from './delivery-words.ts'

export type DeliveriesView = {
  /** /portal/teams/…/webhooks/whk_… */
  at: string
  kind: WebhookKind
  typed: TypedFilter
  faults: FilterFaults
  deliveries: readonly Delivery[]
  /** The cursor of the next page. */
  older: string | null
  /** With a filter only so many are looked at for one page. */
  lookedUntil: string | null
  isFirstPage: boolean
  maySend: boolean
}

export function filterNotices(faults: FilterFaults): Markup {
  return html`${faultSummary({ from: 'From', to: 'Before' }, { ...faults })}`
}

export function deliveriesContent(view: DeliveriesView): Markup {
  const { at, typed, deliveries, older, isFirstPage } = view
  const href = (more: Record<string, string>) => `${at}/deliveries?${filterQuery(typed, more)}`
  return html`${filterForm(view)}
${card('deliveries', 'Deliveries', deliveries.length === 0 ? emptyWords(view) : deliveryTable(`${at}/deliveries`, deliveries))}
<p class="actions">${older !== null && html`<a class="button quiet" href="${href({ before: older })}">${deliveries.length === 0 ? 'Look further back' : 'Older deliveries'}</a>`}
${!isFirstPage && html`<a class="button quiet" href="${href({})}">Back to the newest</a>`}</p>`
}

function filterForm({ at, kind, typed, faults }: DeliveriesView): Markup {
  const anything = { value: '', label: 'Any' }
  return html`<form class="filter wide" method="get" action="${at}/deliveries" novalidate>
${select({ name: 'state', label: 'State', value: typed.state, options: [anything, ...DELIVERY_STATES.map((value) => ({ value, label: value }))] })}
${select({ name: 'type', label: 'Type', value: typed.type, options: [anything, ...eventsOf(kind).map((value) => ({ value, label: value }))] })}
${field({ name: 'subject', label: kind === 'facility' ? 'Facility' : 'Person', value: typed.subject, autocomplete: 'off', required: false, maxlength: 64 })}
${field({ name: 'id', label: 'Event or delivery id', value: typed.id, autocomplete: 'off', required: false, maxlength: 64 })}
${field({ name: 'from', label: 'From (UTC)', type: 'datetime-local', value: typed.from, autocomplete: 'off', required: false, error: faults.from })}
${field({ name: 'to', label: 'Before (UTC)', type: 'datetime-local', value: typed.to, autocomplete: 'off', required: false, error: faults.to })}
<div class="filter-actions"><button type="submit" class="quiet">Filter</button>
${isFiltering(typed) && html`<a href="${at}/deliveries">Show all</a>`}</div>
</form>`
}

function emptyWords({ at, typed, faults, lookedUntil, isFirstPage, maySend }: DeliveriesView): Markup {
  if (Object.keys(faults).length > 0) return html`<p class="none">Nothing was looked for yet.</p>`
  if (lookedUntil !== null)
    return html`<p class="none">None of the newest fits. There are older ones that were not looked at yet.</p>`
  if (isFiltering(typed)) return html`<p class="none">No delivery of the last 30 days fits.</p>`
  if (!isFirstPage) return html`<p class="none">There is nothing older.</p>`
  return html`<p class="none">Nothing has been sent yet. Deliveries stay here for 30 days.${maySend && html` <a href="${at}/test">Send a test event</a> to see the first one.`}</p>`
}
