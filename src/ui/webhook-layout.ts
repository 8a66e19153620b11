import { type Content, html, type Markup } from './html.ts'
import { rawUrl } from './raw-text.ts'

export type WebhookPlace = 'overview' | 'deliveries' | 'replays' | 'test' | 'edit'

export type WebhookFrame = {
  /** The list of the application's webhooks: /portal/teams/…/webhooks. */
  list: string
  webhook: { id: string; url: string }
  /** How it stands. */
  tags: Content
  place: WebhookPlace
  /** What the visitor's role may do with it. */
  may: { send: boolean; change: boolean }
}

/** What stands around every page of one webhook. */
export function webhookPage({ list, webhook, tags, place, may }: WebhookFrame, content: Content): Markup {
  const path = `${list}/${webhook.id}`
  const links: Array<[place: WebhookPlace, href: string, label: string]> = [
    ['overview', path, 'Health and secrets'],
    ['deliveries', `${path}/deliveries`, 'Deliveries'],
    ['replays', `${path}/replays`, 'Replays'],
    ...(may.send ? [['test', `${path}/test`, 'Test event'] satisfies [WebhookPlace, string, string]] : []),
    ...(may.change ? [['edit', `${path}/edit`, 'Edit'] satisfies [WebhookPlace, string, string]] : []),
  ]
  return html`<p class="crumb"><a href="${list}">Webhooks</a></p>
<div class="webhook-head"><h2><code>${rawUrl(webhook.url)}</code></h2> ${tags}</div>
<nav class="parts" aria-label="Webhook">
<ul>
${links.map(
  ([name, href, label]) => html`<li><a href="${href}"${name === place && html` aria-current="page"`}>${label}</a></li>
`,
)}</ul>
</nav>
${content}`
}
