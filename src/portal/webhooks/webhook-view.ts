import type { Delivery } from '../../domain/deliveries/delivery.ts'
import type { Health } from '../../domain/deliveries/webhook-health-store.ts'
import type { Standing } from '../../domain/deliveries/webhook-standing-store.ts'
import type { NamedFacility } from '../../domain/facilities/facility-name-store.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { button, form } from '../../ui/form.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { day, moment } from '../../ui/moment.ts'
import { rawText } from '../../ui/raw-text.ts'
import { deliveryTable } from '../deliveries/delivery-words.ts'
import { healthCard } from './health-view.ts'
import { secretsCard } from './secrets-view.ts'

export type WebhookView = {
  /** /portal/teams/…/webhooks/whk_… */
  at: string
  csrf: string
  webhook: Webhook
  health: Health
  standing: Standing | undefined
  newest: readonly Delivery[]
  /** The first of them, by name. */
  facilities: readonly NamedFacility[]
  revealed: readonly string[] | null
  may: { change: boolean; reveal: boolean; send: boolean }
}

export function webhookContent(view: WebhookView): Markup {
  const { revealed } = view
  // What was asked for stands first.
  return html`${revealed !== null && secretsCard(view)}
${stoppedNote(view)}
${healthCard(view)}
${newestCard(view)}
${factsCard(view)}
${revealed === null && secretsCard(view)}
${switchCard(view)}`
}

/** Why nothing is sent, and what to do. */
function stoppedNote({ at, webhook, standing, may }: WebhookView): Markup | null {
  const enable = may.change && html` <a href="${at}/enable">Enable it</a> when your receiver is ready.`
  switch (webhook.disabledBecause) {
    case 'gone':
      return note(
        html`Your receiver answered <strong>410 Gone</strong>, which says that it wants nothing more. Events are held for 30 days.${enable}`,
      )
    case 'failing':
      return note(html`Everything failed for five days, so it was disabled. Events are held for 30 days.${enable}`)
    case 'by_request':
      return note(html`It was disabled by request. Events are held for 30 days.${enable}`)
    case null:
      if (webhook.listener !== null) return listenerNote(webhook.listener)
      return standing !== undefined && standing.failingSince !== null
        ? note(
            html`Every attempt since ${moment(standing.failingSince)} failed. After five days of that it is disabled by itself; look at <a href="${at}/deliveries">what your receiver answers</a>.`,
          )
        : null
  }
}

/** Decision record 82. */
function listenerNote(name: string): Markup {
  return html`<p class="note">It belongs to the listener <strong>${name}</strong> and is not called. What happens waits for 30 days until <code>handover listen</code> on that computer fetches it, and what the program there answers is below.</p>`
}

function note(content: Content): Markup {
  return html`<p class="note alarm">${content}</p>`
}

function newestCard({ at, newest, may }: WebhookView): Markup {
  return card(
    'newest',
    'Newest deliveries',
    newest.length === 0
      ? html`<p class="none">Nothing has been sent yet. ${may.send && html`<a href="${at}/test">Send a test event</a> to see one arrive.`}</p>`
      : deliveryTable(`${at}/deliveries`, newest),
    newest.length > 0 && html`<a href="${at}/deliveries">All deliveries</a>`,
  )
}

function factsCard({ webhook, facilities }: WebhookView): Markup {
  const more = webhook.facilities.length - facilities.length
  return card(
    'facts',
    'What it gets',
    html`<dl class="facts">
<dt>Id</dt><dd><code data-copy="webhook id">${webhook.id}</code></dd>
<dt>Events</dt><dd>${webhook.events.includes('all') ? 'Every event, those to come included' : webhook.events.map((each) => html`<code>${each}</code> `)}</dd>
${webhook.kind === 'facility' && html`<dt>Facilities</dt><dd><ul class="plain">${facilities.map(({ id, name }) => html`<li>${rawText(name)} <code class="small faint">${rawText(id)}</code></li>`)}${more > 0 && html`<li>and ${more.toLocaleString('en')} more</li>`}</ul>${webhook.facilities.length === 0 && html`<span class="none">None any more, so nothing is sent. Edit it to choose others.</span>`}</dd>`}
<dt>Made</dt><dd>${day(webhook.createdAt)}, changed ${moment(webhook.updatedAt)}</dd>
${webhook.userId !== null && html`<dt>Person</dt><dd><code>${rawText(webhook.userId)}</code>, for whom your application registered it by the API</dd>`}
</dl>`,
  )
}

function switchCard({ at, csrf, webhook, may }: WebhookView): Markup | null {
  if (!may.change) return null
  return webhook.disabledBecause === null
    ? card(
        'switch',
        'Disable it',
        html`<p>Nothing is sent until it is enabled again. What happens meanwhile is held for 30 days, not lost.</p>
${form(`${at}/disable`, { csrf }, html`<div class="actions">${button('Disable', { kind: 'danger' })}</div>`)}`,
      )
    : card(
        'switch',
        'Enable it',
        html`<p>Earlier failures are forgotten. You choose what becomes of the events that were held.</p>
<p class="actions"><a class="button" href="${at}/enable">Enable…</a></p>`,
      )
}
