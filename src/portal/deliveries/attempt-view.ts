import type { Attempt } from '../../domain/deliveries/attempt-list-store.ts'
import type { Delivery } from '../../domain/deliveries/delivery.ts'
import { requestHeaders } from '../../domain/deliveries/request-headers.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { listing, rawText } from '../../ui/raw-text.ts'

export type AttemptView = {
  webhook: Webhook
  delivery: Delivery & { body: string }
  attempt: Attempt
  isOpen: boolean
}

/** One request and its answer, side by side. */
export function attemptPart({ webhook, delivery, attempt, isOpen }: AttemptView): Markup {
  const { number, startedAt, durationMs, manual } = attempt
  return html`<details class="attempt"${isOpen && html` open`}>
<summary><span class="attempt-line"><strong>Attempt ${number}</strong> ${outcomeTag(attempt)}${manual && html` <span class="tag">by hand</span>`}
<span class="faint">${second(startedAt)}, took ${durationMs.toLocaleString('en')} ms</span></span></summary>
<div class="both-sides">
<div><h3>Request ${number}</h3>
${listing(requestText(webhook, delivery, attempt), `Request of attempt ${number}`)}
${webhook.updatedAt > startedAt && html`<p class="hint">The webhook has changed since. The signature is shown as its present secrets make it.</p>`}</div>
<div><h3>Answer ${number}</h3>
${answer(attempt)}</div>
</div>
</details>`
}

function outcomeTag({ status, error }: Attempt): Markup {
  if (status === null) return html`<span class="tag bad">${rawText(error ?? 'no answer')}</span>`
  return html`<span class="tag ${status >= 200 && status < 300 ? 'good' : 'bad'}">${status}</span>`
}

/** As it was signed: the headers are made of what is stored, by the same lines that made them then (decision D3). */
function requestText(
  webhook: Webhook,
  { eventId, body }: AttemptView['delivery'],
  { url, startedAt }: Attempt,
): string {
  const headers = requestHeaders({ id: eventId, body }, webhook.secrets, startedAt)
  return [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join('\n')
}

function answer({ number, status, error, message, responseHead, responseBody }: Attempt): Markup {
  if (status === null)
    return html`<p>No answer: <strong>${rawText(error ?? 'unknown')}</strong></p>
${message !== null && message !== '' && html`<p class="faint">${rawText(message)}</p>`}`
  // Receivers answer with any bytes; what is not UTF-8 is shown by replacement characters.
  const text = responseBody?.toString('utf8') ?? ''
  return html`${listing(`${status}${responseHead === null || responseHead === '' ? '' : `\n${responseHead}`}`, `Head of answer ${number}`)}
${text === '' ? html`<p class="none">Without a body.</p>` : listing(text, `Body of answer ${number}`)}`
}
