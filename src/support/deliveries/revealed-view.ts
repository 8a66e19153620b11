import type { Attempt } from '../../domain/deliveries/attempt-list-store.ts'
import { requestHeaders } from '../../domain/deliveries/request-headers.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { listing } from '../../ui/raw-text.ts'
import { outcomeTag } from './delivery-view.ts'

export type RevealedView = { eventId: string; body: string; attempts: readonly Attempt[] }

/** Everything but the signature: whoever has one of these can send the same request, and it is made of the secrets. */
export function revealedCards({ eventId, body, attempts }: RevealedView): Markup {
  return html`${card('body', 'Body', html`<p class="faint">The same bytes at every attempt.</p>${listing(body, 'Body of the request')}`)}
${attempts.map((attempt) =>
  card(
    `attempt-${attempt.number}`,
    html`Attempt ${attempt.number} ${outcomeTag(attempt)}`,
    html`<h3>Request ${attempt.number}</h3>
${listing(requestText(eventId, body, attempt), `Request of attempt ${attempt.number}`)}
<h3>Answer ${attempt.number}</h3>
${answer(attempt)}`,
  ),
)}
<p class="aside">Shown once: to see it again, say once more why.</p>`
}

function requestText(eventId: string, body: string, { url, startedAt }: Attempt): string {
  const headers = requestHeaders({ id: eventId, body }, [], startedAt)
  const lines = Object.entries({ ...headers, 'webhook-signature': '(never shown here)' })
  return [`POST ${url}`, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\n')
}

function answer({ number, status, responseHead, responseBody }: Attempt): Markup {
  if (status === null) return html`<p class="none">There was none.</p>`
  // Receivers answer with any bytes; what is not UTF-8 is shown by replacement characters.
  const text = responseBody?.toString('utf8') ?? ''
  return html`${listing(`${status}${responseHead === null || responseHead === '' ? '' : `\n${responseHead}`}`, `Head of answer ${number}`)}
${text === '' ? html`<p class="none">Without a body.</p>` : listing(text, `Body of answer ${number}`)}`
}
