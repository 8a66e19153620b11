import type { Attempt } from '../../domain/deliveries/attempt-list-store.ts'
import type { Delivery } from '../../domain/deliveries/delivery.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { stateTag } from '../../ui/delivery-state.ts'
import { button, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { listing, rawText } from '../../ui/raw-text.ts'
import { attemptPart } from './attempt-view.ts'
import { nextInWords, subjectOf } from './delivery-words.ts'

export type DeliveryView = {
  /** /portal/teams/…/webhooks/whk_… */
  at: string
  /** Where its signature can be checked. */
  debugger: string
  csrf: string
  webhook: Webhook
  delivery: Delivery & { body: string }
  /** The latest first. */
  attempts: readonly Attempt[]
  /** The number from which older ones go on. */
  older: number | null
  maySend: boolean
}

export function deliveryContent(view: DeliveryView): Markup {
  return html`${factsCard(view)}
${attemptsCard(view)}
${card('body', 'Body', html`<p class="faint">The same bytes at every attempt.</p>${listing(view.delivery.body, 'Body of the request')}`)}`
}

function factsCard(view: DeliveryView): Markup {
  const { at, webhook, delivery } = view
  const isTest = isTestBody(delivery.body)
  return card(
    'delivery',
    html`${rawText(delivery.eventType)} ${stateTag(delivery.state)}${isTest && html` <span class="tag">test</span>`}`,
    html`<dl class="facts">
<dt>Delivery</dt><dd><code data-copy="delivery id">${delivery.id}</code></dd>
<dt>Event</dt><dd><code data-copy="event id">${rawText(delivery.eventId)}</code></dd>
<dt>${webhook.kind === 'facility' ? 'Facility' : 'Person'}</dt><dd><code>${rawText(subjectOf(delivery))}</code></dd>
<dt>Made</dt><dd>${second(delivery.createdAt)}</dd>
<dt>${delivery.state === 'pending' ? 'Next' : 'Outcome'}</dt><dd>${nextInWords(delivery)}</dd>
</dl>
<div class="actions">${sendForm(view)}<a class="button quiet" href="${view.debugger}">Check this signature</a>${
      isTest &&
      view.maySend &&
      html`<a class="button quiet" href="${at}/test?type=${encodeURIComponent(delivery.eventType)}">Send another test</a>`
    }</div>`,
    html`<a href="${at}/deliveries">All deliveries</a>`,
  )
}

/** What still waits is hastened; what is over is sent once more, which counts for nothing but itself (decision D9). */
function sendForm({ at, csrf, webhook, delivery, maySend }: DeliveryView): Markup | null {
  if (!maySend || webhook.disabledBecause !== null || isFetched(delivery)) return null
  const waits = delivery.state === 'pending'
  if (waits && delivery.nextAttemptAt === null) return null
  const label = waits ? 'Retry now' : delivery.state === 'held' ? 'Send now' : 'Resend'
  return form(`${at}/deliveries/${delivery.id}/send`, { csrf }, button(label))
}

function attemptsCard({ at, webhook, delivery, attempts, older }: DeliveryView): Markup {
  const here = `${at}/deliveries/${delivery.id}`
  return card(
    'attempts',
    'Attempts',
    html`${
      attempts.length === 0
        ? html`<p class="none">${delivery.state === 'pending' ? html`It is still on its way. <a href="${here}">Look again</a> in a moment.` : isFetched(delivery) ? html`<code>handover listen</code> has not fetched it yet. <a href="${here}">Look again</a> in a moment.` : 'No attempt was made.'}</p>`
        : attempts.map((attempt, position) => attemptPart({ webhook, delivery, attempt, isOpen: position === 0 }))
    }
${older !== null && html`<p class="actions"><a class="button quiet" href="${here}?before=${older}">Older attempts</a></p>`}`,
  )
}

/** It waits for a listener: there is nothing to hasten. */
function isFetched({ state, reason }: DeliveryView['delivery']): boolean {
  return state === 'held' && reason === 'listening'
}

/** Our own head stands before `data`, so nothing that somebody else wrote can say so. */
function isTestBody(body: string): boolean {
  const head = body.slice(0, body.indexOf(',"data":'))
  return head.endsWith(',"test":true')
}
