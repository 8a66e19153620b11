import type { Standing } from '../../domain/deliveries/webhook-standing-store.ts'
import type { Environment } from '../../domain/environment.ts'
import type { ListedWebhook } from '../../domain/webhooks/webhook-list-store.ts'
import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'
import { day } from '../../ui/moment.ts'
import { rawUrl } from '../../ui/raw-text.ts'
import { table } from '../../ui/table.ts'
import { webhookTags } from '../threshold/webhook-tags.ts'
import { eventsInWords, rateInWords } from './webhook-words.ts'

export type WebhooksView = {
  /** /portal/teams/…/webhooks */
  at: string
  environment: Environment
  webhooks: readonly ListedWebhook[]
  standings: ReadonlyMap<string, Standing>
  older: string | null
  isFirstPage: boolean
  mayChange: boolean
  done: Markup | null
}

export function webhooksContent(view: WebhooksView): Markup {
  const { at, webhooks, older, isFirstPage, mayChange, done, environment } = view
  const create = mayChange && html`<a class="button" href="${at}/new">Create a webhook</a>`
  return html`${done}
${
  webhooks.length === 0 && isFirstPage
    ? firstWebhook(environment, create)
    : card(
        'webhooks',
        'Webhooks',
        webhooks.length === 0 ? html`<p class="none">There is nothing older.</p>` : listed(view),
        create,
      )
}
${older !== null && html`<p class="actions"><a class="button quiet" href="${at}?before=${older}">Older webhooks</a></p>`}
${!isFirstPage && html`<p class="aside"><a href="${at}">Back to the newest</a></p>`}`
}

function listed({ at, webhooks, standings }: WebhooksView): Markup {
  return table({
    caption: 'Webhooks, newest first',
    columns: ['URL', 'Events', 'Facilities', 'State', 'Success (24\u00a0h)'],
    rows: webhooks.map((webhook) => {
      const standing = standings.get(webhook.id)
      return [
        html`<a href="${at}/${webhook.id}"><strong>${rawUrl(webhook.url)}</strong></a><br><span class="faint">since ${day(webhook.createdAt)}</span>`,
        eventsInWords(webhook.events),
        webhook.kind === 'user' ? html`<span class="none">none</span>` : webhook.facilityCount.toLocaleString('en'),
        webhookTags(webhook, standing),
        rateInWords(standing ?? { delivered: 0, failed: 0, unfinished: 0 }),
      ]
    }),
  })
}

function firstWebhook(environment: Environment, create: Markup | false): Markup {
  return card(
    'webhooks',
    `No webhooks in ${environment} yet`,
    html`<p>A webhook is a URL of yours that we call when something happens: a shift is created, requested, reported. You need
three things, and the first takes a minute.</p>
<ol class="ways">
<li><strong>An address that takes a POST.</strong> It answers any 2xx within 15 seconds; the work can wait until after.</li>
<li><strong>A webhook for it, here.</strong> Choose the events and the facilities; the secret that signs them is made for you.</li>
<li><strong>A test event.</strong> You see the very request and the answer of your receiver side by side.</li>
</ol>
${
  environment === 'production'
    ? html`<p class="faint">What is sent here is about real shifts. Try it in the sandbox first.</p>`
    : html`<p class="faint">The sandbox has facilities of its own; nothing that happens here is real.</p>
<p class="faint">No address that can be called from the internet yet? <code>npx handover listen --forward-to localhost:3000/hooks</code> brings what happens here to your own computer.</p>`
}
${create === false ? html`<p class="none">Ask an owner or a developer of your team to create the first one.</p>` : html`<p class="actions">${create}</p>`}`,
  )
}
