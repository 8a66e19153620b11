import type { Attempt } from '../../domain/deliveries/attempt-list-store.ts'
import type { Delivery } from '../../domain/deliveries/delivery.ts'
import type { WebhookFacts } from '../../domain/webhooks/webhook-facts-store.ts'
import { card } from '../../ui/card.ts'
import { dueInWords, reasonInWords, stateTag } from '../../ui/delivery-state.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { rawText } from '../../ui/raw-text.ts'
import { table } from '../../ui/table.ts'

export type DeliveryView = {
  done: Markup | null
  delivery: Delivery
  webhookId: string
  /** Null when it is gone. */
  webhook: WebhookFacts | null
  /** The latest first. */
  attempts: readonly Attempt[]
  /** There are more than are shown. */
  more: boolean
  /** What was revealed, in the answer to the form that asked for it and nowhere else. */
  revealed: Markup | null
}

export function deliveryContent(view: DeliveryView): Markup {
  return html`<p class="crumb"><a href="/support/deliveries">Deliveries</a></p>
${view.done}
<div class="desk-head"><div><h1>${rawText(view.delivery.eventType)}</h1>
<p class="lead"><code>${view.delivery.id}</code></p></div>${stateTag(view.delivery.state)}</div>
${factsCard(view)}
${attemptsCard(view)}
${view.revealed ?? hiddenCard(view)}`
}

function factsCard({ delivery, webhookId, webhook }: DeliveryView): Markup {
  const { subject } = delivery
  return card(
    'about',
    'About',
    html`<dl class="facts">
<dt>Event</dt><dd><a href="/support/deliveries?event=${encodeURIComponent(delivery.eventId)}"><code>${rawText(delivery.eventId)}</code></a></dd>
<dt>${'facilityId' in subject ? 'Facility' : 'Person'}</dt><dd>${'facilityId' in subject ? html`<code>${rawText(subject.facilityId)}</code>` : html`<a href="/support/users/${encodeURIComponent(subject.userId)}"><code>${rawText(subject.userId)}</code></a>`}</dd>
<dt>Webhook</dt><dd>${webhook === null ? html`<code>${rawText(webhookId)}</code> <span class="tag">gone</span>` : html`<a href="/support/webhooks/${webhook.id}"><code>${webhook.id}</code></a> <span class="tag">${webhook.environment}</span>`}</dd>
${webhook !== null && html`<dt>Application</dt><dd><a href="/support/applications/${webhook.applicationId}"><bdi>${webhook.applicationName}</bdi></a></dd>`}
<dt>Made</dt><dd>${second(delivery.createdAt)}</dd>
<dt>${delivery.state === 'pending' ? 'Next' : 'Outcome'}</dt><dd>${nextInWords(delivery)}</dd>
</dl>`,
    canBeSent(webhook) && html`<a href="/support/deliveries/${delivery.id}/send-again">Send again</a>`,
  )
}

function canBeSent(webhook: WebhookFacts | null): boolean {
  return webhook !== null && webhook.disabledBecause === null && !webhook.applicationStopped
}

function nextInWords({ state, nextAttemptAt, finishedAt, reason }: Delivery): Content {
  if (state === 'pending') return dueInWords(nextAttemptAt)
  return html`${reason !== null && rawText(reasonInWords(reason))}${reason !== null && finishedAt !== null && ', '}${finishedAt !== null && second(finishedAt)}`
}

function attemptsCard({ delivery, attempts, more }: DeliveryView): Markup {
  return card(
    'attempts',
    'Attempts',
    attempts.length === 0
      ? html`<p class="none">${delivery.state === 'pending' ? html`None yet. <a href="/support/deliveries/${delivery.id}">Look again</a> in a moment.` : 'No attempt was made.'}</p>`
      : html`${table({
          caption: 'Attempts, the latest first',
          columns: ['Attempt', 'When', 'Answer', 'Took'],
          rows: attempts.map((attempt) => [
            html`${attempt.number}${attempt.manual && html` <span class="tag">by hand</span>`}`,
            second(attempt.startedAt),
            html`${outcomeTag(attempt)}${attempt.message !== null && attempt.message !== '' && html` <span class="faint">${rawText(attempt.message)}</span>`}`,
            `${attempt.durationMs.toLocaleString('en')} ms`,
          ]),
        })}${more && html`<p class="hint">There were more attempts before these.</p>`}`,
  )
}

export function outcomeTag({ status, error }: Attempt): Markup {
  if (status === null) return html`<span class="tag bad">${rawText(error ?? 'no answer')}</span>`
  return html`<span class="tag ${status >= 200 && status < 300 ? 'good' : 'bad'}">${status}</span>`
}

function hiddenCard({ delivery }: DeliveryView): Markup {
  return card(
    'hidden',
    'What was sent and answered',
    html`<p>Hidden: it may tell of people and of how a receiver is built. Revealing it takes a reason, which the team reads.</p>
<p class="actions"><a class="button quiet" href="/support/deliveries/${delivery.id}/reveal">Reveal with a reason</a></p>`,
  )
}
