import { type Health, MOST_WAITING } from '../../domain/deliveries/webhook-health-store.ts'
import type { Standing } from '../../domain/deliveries/webhook-standing-store.ts'
import { urlForLog } from '../../domain/team-webhooks/team-webhook.ts'
import type { DisabledReason } from '../../domain/webhooks/webhook.ts'
import type { WebhookFacts } from '../../domain/webhooks/webhook-facts-store.ts'
import { card } from '../../ui/card.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { day, moment, second } from '../../ui/moment.ts'
import { rawUrl } from '../../ui/raw-text.ts'

export type WebhookView = {
  done: Markup | null
  webhook: WebhookFacts
  standing: Standing | null
  health: Health
}

const DISABLED: Record<DisabledReason, string> = {
  by_request: 'somebody disabled it',
  gone: 'its receiver answered 410',
  failing: 'it failed for five days',
}

export function webhookContent(view: WebhookView): Markup {
  const { done, webhook } = view
  return html`${done}
<div class="desk-head"><div><h1>Webhook</h1>
<p class="lead"><code>${rawUrl(urlForLog(webhook.url))}</code></p></div>${stateTags(view)}</div>
${factsCard(webhook)}
${healthCard(view)}`
}

function stateTags({ webhook, standing }: WebhookView): Markup {
  return html`<div>${webhook.disabledBecause === null ? html`<span class="tag good">enabled</span>` : html`<span class="tag bad">disabled</span>`}
${standing?.circuit.open === true && html`<span class="tag bad">circuit open</span>`}
${webhook.listener !== null && html`<span class="tag">handover listen: ${webhook.listener}</span>`}
${webhook.applicationStopped && html`<span class="tag bad">application suspended</span>`}</div>`
}

function factsCard(webhook: WebhookFacts): Markup {
  const { id, disabledBecause, team, userId, userEmail } = webhook
  const at = `/support/webhooks/${id}`
  return card(
    'about',
    'About',
    html`<dl class="facts">
<dt>Id</dt><dd><code>${id}</code></dd>
<dt>Environment</dt><dd>${webhook.environment}</dd>
<dt>Application</dt><dd><a href="/support/applications/${webhook.applicationId}"><bdi>${webhook.applicationName}</bdi></a></dd>
<dt>Team</dt><dd>${team === null ? html`<span class="none">none</span>` : html`<a href="/support/teams/${team.id}"><bdi>${team.name}</bdi></a>`}</dd>
<dt>Whose</dt><dd>${userId === null ? 'the application’s own' : html`<a href="/support/users/${encodeURIComponent(userId)}"><bdi>${userEmail ?? userId}</bdi></a>`}</dd>
<dt>About</dt><dd>${webhook.kind === 'user' ? 'people' : webhook.facilityCount === 1 ? '1 facility' : `${webhook.facilityCount.toLocaleString('en')} facilities`}</dd>
<dt>Events</dt><dd>${webhook.events.map((event, position) => html`${position > 0 && ', '}<code>${event}</code>`)}</dd>
<dt>State</dt><dd>${disabledBecause === null ? 'enabled' : html`disabled: ${DISABLED[disabledBecause]}`}</dd>
<dt>Made</dt><dd>${day(webhook.createdAt)}, last changed ${moment(webhook.updatedAt)}</dd>
<dt>Secrets</dt><dd>never shown here</dd>
</dl>
<div class="actions">${disabledBecause === null ? html`<a class="button quiet" href="${at}/disable">Disable</a>` : html`<a class="button quiet" href="${at}/enable">Enable</a>`}
<a class="button quiet" href="/support/deliveries?webhook=${id}">Its deliveries</a></div>`,
  )
}

function healthCard({ webhook, standing, health }: WebhookView): Markup {
  const { waiting, latency, nextDueAt } = health
  const isStopped = webhook.disabledBecause !== null || webhook.applicationStopped || webhook.listener !== null
  const held = isStopped ? waiting.pending + waiting.held : waiting.held
  return card(
    'health',
    'Health',
    html`<dl class="facts">
<dt>Last 24 hours</dt><dd>${lastDayInWords(standing)}</dd>
<dt>Circuit</dt><dd>${circuitInWords(standing)}</dd>
<dt>Failing since</dt><dd>${standing === null || standing.failingSince === null ? 'it is not' : moment(standing.failingSince)}</dd>
${standing !== null && standing.notBefore !== null && html`<dt>Asked to wait</dt><dd>until ${second(standing.notBefore)}, by Retry-After</dd>`}
<dt>Waiting</dt><dd>${isStopped ? '0' : atMost(waiting.pending)}${!isStopped && nextDueAt !== null && html`, the next ${second(nextDueAt)}`}</dd>
<dt>Held</dt><dd>${atMost(held)}${webhook.listener !== null && ', until handover listen fetches it'}</dd>
<dt>Answer time</dt><dd>${latency === null ? html`<span class="none">no answers</span>` : `${Math.round(latency.p50)} ms for half of ${latency.attempts}, ${Math.round(latency.p99)} ms for 99 of 100`}</dd>
</dl>`,
  )
}

function lastDayInWords(standing: Standing | null): Content {
  if (standing === null) return html`<span class="none">nothing sent</span>`
  const { delivered, failed, unfinished } = standing
  const waiting = unfinished > 0 && `${unfinished} tried and not delivered yet`
  if (delivered + failed === 0) return waiting || html`<span class="none">nothing came to an end</span>`
  return `${delivered} delivered, ${failed} failed, of the newest ${delivered + failed}${waiting ? `; ${waiting}` : ''}`
}

function circuitInWords(standing: Standing | null): Markup {
  if (standing === null || !standing.circuit.open) return html`closed: everything is let through`
  const { probeAt } = standing.circuit
  return html`open${probeAt !== null && html`, next probe ${second(probeAt)}`}`
}

function atMost(number: number): string {
  return number > MOST_WAITING ? `more than ${MOST_WAITING.toLocaleString('en')}` : number.toLocaleString('en')
}
