import { type FailingHost, MOST_FAILING } from '../../domain/deliveries/failing-host-store.ts'
import { type MinuteFigures, MOST_OF_A_MINUTE, SHOWN_MINUTES } from '../../domain/deliveries/minute-figures-store.ts'
import type { QueueFigures } from '../../domain/deliveries/queue-figures-store.ts'
import { type SigningKey, stateOf } from '../../domain/keys/signing-key.ts'
import type { DatabaseFacts } from '../../platform/database-facts.ts'
import { card } from '../../ui/card.ts'
import { barChart } from '../../ui/chart.ts'
import { figureList } from '../../ui/figures.ts'
import { html, type Markup } from '../../ui/html.ts'
import { clockTime, moment } from '../../ui/moment.ts'
import { rawText } from '../../ui/raw-text.ts'
import { table } from '../../ui/table.ts'

export type HealthView = {
  done: Markup | null
  now: Date
  keys: ReadonlyArray<SigningKey & { createdAt: Date }>
  queue: QueueFigures
  minutes: readonly MinuteFigures[]
  hosts: readonly FailingHost[]
  database: DatabaseFacts
  /** How far this machine's clock is ahead of the database's. */
  skewSeconds: number
  mail: 'on' | 'off'
  version: string
}

/** Longer than a worker takes to come by: then something is wrong with the workers. */
const LATE_SECONDS = 60

export function healthContent(view: HealthView): Markup {
  return html`${view.done}
<div class="desk-head"><div><h1>Keys and health</h1>
<p class="lead">Over all processes, as of ${moment(view.now)}.</p></div></div>
${queueCard(view)}
${hostsCard(view)}
${keysCard(view)}
${serviceCard(view)}`
}

function queueCard({ queue, minutes }: HealthView): Markup {
  const isLate = queue.oldestDueSeconds > LATE_SECONDS
  const good = minutes.reduce((sum, { delivered }) => sum + delivered, 0)
  const bad = minutes.reduce((sum, { failed }) => sum + failed, 0)
  return card(
    'queue',
    html`Queue ${isLate ? html`<span class="tag bad">late</span>` : html`<span class="tag good">on time</span>`}`,
    html`${figureList(figuresOf(queue))}
${
  good + bad === 0
    ? html`<p class="hint">Nothing was finished in the last ${SHOWN_MINUTES} minutes.</p>`
    : barChart({
        id: 'minutes',
        title: 'Deliveries by the minute they were made (UTC)',
        description: `In ${SHOWN_MINUTES} minutes ${good} deliveries succeeded and ${bad} failed for good. The table below has each minute.`,
        words: { good: 'delivered', bad: 'failed' },
        columns: ['Minute', 'Delivered', 'Failed'],
        bars: minutes.map(({ from, delivered, failed, more }) => ({
          label: clockTime(from),
          good: delivered,
          bad: failed,
          row: [clockTime(from), number(delivered) + (more ? '+' : ''), number(failed) + (more ? '+' : '')],
        })),
      })
}
${minutes.some(({ more }) => more) && html`<p class="hint">Of a minute with many, the first ${number(MOST_OF_A_MINUTE)} are counted.</p>`}`,
  )
}

function figuresOf(queue: QueueFigures): Array<[name: string, value: string, detail: string]> {
  const { oldestDueSeconds } = queue
  return [
    ['Waiting', number(queue.pending), 'to be sent, now or later'],
    ['Being sent', number(queue.inFlight), 'at this moment'],
    ['Oldest due', oldestDueSeconds < 1 ? '0 s' : duration(oldestDueSeconds), 'how far we are behind'],
    ['Held', number(queue.held), 'kept until somebody asks'],
    ['Failing', number(queue.failingWebhooks), 'webhooks whose last attempt failed'],
    ['Circuits', number(queue.openCircuits), 'open: one probe at a time'],
  ]
}

function hostsCard({ hosts, queue }: HealthView): Markup {
  return card(
    'hosts',
    'Failing hosts',
    hosts.length === 0
      ? html`<p class="none">No receiver is failing.</p>`
      : html`${table({
          caption: 'Hosts with the most failing webhooks',
          columns: ['Host', 'Failing webhooks', 'Open circuits', 'Since'],
          rows: hosts.map(({ host, webhooks, openCircuits, since }) => [
            html`<code>${rawText(host)}</code>`,
            number(webhooks),
            number(openCircuits),
            moment(since),
          ]),
        })}${queue.failingWebhooks > MOST_FAILING && html`<p class="hint">Of the ${number(MOST_FAILING)} that have failed for longest.</p>`}`,
  )
}

const STATES = {
  next: html`<span class="tag">next</span>`,
  current: html`<span class="tag good">current</span>`,
  retired: html`<span class="tag">retired</span>`,
  gone: html`<span class="tag">gone</span>`,
} as const

function keysCard({ keys, now }: HealthView): Markup {
  const none = html`<span class="none">open</span>`
  return card(
    'keys',
    'Signing keys',
    html`<p class="faint">Replaced every 90 days by themselves: the next key is published a day before it signs, and a retired one
stays until its last token has died.</p>
${table({
  caption: 'Signing keys',
  columns: ['Algorithm', 'State', 'Key id', 'Signs from', 'Signs until', 'Published until'],
  rows: keys.map((key) => [
    key.algorithm,
    STATES[stateOf(key, now)],
    html`<code class="small">${key.kid}</code>`,
    moment(key.signsFrom),
    key.signsUntil === null ? none : moment(key.signsUntil),
    key.publishedUntil === null ? none : moment(key.publishedUntil),
  ]),
})}`,
    html`<a href="/support/health/rotate-keys">Rotate<span class="unseen"> the signing keys</span></a>`,
  )
}

function serviceCard({ database, skewSeconds, mail, version }: HealthView): Markup {
  return card(
    'parts',
    'Parts',
    html`<dl class="facts">
<dt>Handover</dt><dd>${version}</dd>
<dt>Database</dt><dd><span class="tag good">answers</span> PostgreSQL ${database.version}, ${size(database.bytes)}, ${database.connections} connections</dd>
<dt>Clock</dt><dd>${Math.abs(skewSeconds) < 2 ? html`<span class="tag good">right</span>` : html`<span class="tag bad">off</span>`} ${Math.abs(skewSeconds).toFixed(1)} s from the database’s</dd>
<dt>Mail</dt><dd>${mail === 'on' ? html`<span class="tag good">on</span>` : html`<span class="tag bad">off</span> nobody can be written to: no sign-up, no reset`}</dd>
</dl>`,
  )
}

function number(value: number): string {
  return value.toLocaleString('en')
}

function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}

function size(bytes: number): string {
  const megabytes = bytes / 1_000_000
  return megabytes < 1_000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1_000).toFixed(1)} GB`
}
