import { DELIVERY_STATES } from '../../domain/deliveries/delivery.ts'
import type { FoundDelivery } from '../../domain/deliveries/delivery-search.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { reasonInWords, stateTag } from '../../ui/delivery-state.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { field } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { rawText } from '../../ui/raw-text.ts'
import { select } from '../../ui/select.ts'
import { table } from '../../ui/table.ts'
import { type SearchFaults, searchQuery, type TypedSearch } from './delivery-filter.ts'

export type DeliveriesView = {
  found: readonly FoundDelivery[]
  /** The cursor of the next page. */
  older: string | null
  typed: TypedSearch
  faults: SearchFaults
  isFirstPage: boolean
}

const AT = '/support/deliveries'
const LABELS = { delivery: 'Delivery id', from: 'From (UTC)', to: 'Before (UTC)' }

export function deliveriesContent(view: DeliveriesView): Markup {
  const { found, older, typed, faults, isFirstPage } = view
  const href = (more: Record<string, string>) => `${AT}?${searchQuery(typed, more)}`
  return html`<div class="desk-head"><div><h1>Deliveries</h1>
<p class="lead">Of every team, for 30 days. What is in them stays hidden until you say why you have to see it.</p></div></div>
${faultSummary(LABELS, { ...faults })}
${searchForm(view)}
<section class="card" aria-label="Deliveries">
${found.length === 0 ? html`<p class="none">${emptyWords(view)}</p>` : foundTable(found)}
</section>
<p class="actions">${older !== null && html`<a class="button quiet" href="${href({ before: older })}">${found.length === 0 ? 'Look further back' : 'Older deliveries'}</a>`}
${!isFirstPage && html`<a class="button quiet" href="${href({})}">Back to the newest</a>`}</p>`
}

function searchForm({ typed, faults }: DeliveriesView): Markup {
  const anything = { value: '', label: 'Any' }
  const text = (name: 'delivery' | 'event' | 'webhook' | 'application', label: string, error?: string) =>
    field({ name, label, value: typed[name], autocomplete: 'off', required: false, maxlength: 320, error })
  const time = (name: 'from' | 'to') =>
    field({
      name,
      label: LABELS[name],
      type: 'datetime-local',
      value: typed[name],
      autocomplete: 'off',
      required: false,
      error: faults[name],
    })
  const options = (values: readonly string[]) => [anything, ...values.map((value) => ({ value, label: value }))]
  return html`<form class="filter fields" method="get" action="${AT}" novalidate>
${text('delivery', LABELS.delivery, faults.delivery)}
${text('event', 'Event id')}
${text('webhook', 'Webhook id')}
${text('application', 'Client id')}
${select({ name: 'environment', label: 'Environment', value: typed.environment, options: options(ENVIRONMENTS) })}
${select({ name: 'state', label: 'State', value: typed.state, options: options(DELIVERY_STATES) })}
${time('from')}
${time('to')}
<button type="submit" class="quiet">Filter</button>
${isFiltered(typed) && html`<a href="${AT}">Newest of everything</a>`}
</form>`
}

function foundTable(found: readonly FoundDelivery[]): Markup {
  return table({
    caption: 'Deliveries, newest first',
    columns: ['Event', 'To', 'Made', 'State', 'Attempts'],
    rows: found.map((delivery) => [
      html`<a href="${AT}/${delivery.id}"><strong>${rawText(delivery.eventType)}</strong></a><br><code class="small faint">${rawText(delivery.eventId)}</code>`,
      toWhom(delivery),
      second(delivery.createdAt),
      html`${stateTag(delivery.state)}${delivery.reason !== null && html`<br><span class="faint">${rawText(reasonInWords(delivery.reason))}</span>`}`,
      String(delivery.attempts),
    ]),
  })
}

/** Of a URL the host is enough to tell receivers apart; the rest may be nobody's to see. */
function toWhom({ webhookId, webhook, environment }: FoundDelivery): Markup {
  if (webhook === null)
    return html`<span class="none">a webhook that is gone</span><br><code class="small faint">${rawText(webhookId)}</code>`
  return html`<a href="/support/webhooks/${webhookId}">${rawText(hostOf(webhook.url))}</a> <span class="tag">${environment}</span><br><a class="faint" href="/support/applications/${webhook.applicationId}"><bdi>${webhook.applicationName}</bdi></a>`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

function isFiltered(typed: TypedSearch): boolean {
  return Object.values(typed).some((value) => value !== '')
}

function emptyWords({ faults, older, typed, isFirstPage }: DeliveriesView): string {
  if (Object.keys(faults).length > 0) return 'Nothing was looked for yet.'
  if (older !== null) return 'None of the newest fits. There are older ones that were not looked at yet.'
  if (isFiltered(typed)) return 'No delivery of the last 30 days fits. Leave out a field, or widen the time.'
  return isFirstPage ? 'Nothing has been sent yet. Every delivery stays here for 30 days.' : 'There is nothing older.'
}
