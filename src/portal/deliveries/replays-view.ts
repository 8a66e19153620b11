import { REPLAYABLE_STATES, type Replay } from '../../domain/deliveries/replay.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { checks } from '../../ui/checks.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { second } from '../../ui/moment.ts'
import { table } from '../../ui/table.ts'
import type { ReplayFaults, TypedReplay } from './replay-range.ts'

export type ReplaysView = {
  /** /portal/teams/…/webhooks/whk_… */
  at: string
  csrf: string
  replays: readonly Replay[]
  older: string | null
  isFirstPage: boolean
  maySend: boolean
}

export function replaysContent(view: ReplaysView): Markup {
  const { at, replays, older, isFirstPage, maySend } = view
  const begin = maySend && html`<a class="button" href="${at}/replays/new">Replay deliveries</a>`
  return html`${card(
    'replays',
    'Replays',
    replays.length > 0
      ? replayTable(view)
      : html`<p class="none">${isFirstPage ? 'There was none yet. A replay sends the deliveries of a time range again, with the same ids: after your receiver was down for longer than retries last, say.' : 'There is nothing older.'}</p>`,
    begin,
  )}
<p class="actions">${older !== null && html`<a class="button quiet" href="${at}/replays?before=${older}">Older replays</a>`}
${!isFirstPage && html`<a class="button quiet" href="${at}/replays">Back to the newest</a>`}</p>`
}

function replayTable({ at, csrf, replays, maySend }: ReplaysView): Markup {
  return table({
    caption: 'Replays, newest first',
    columns: ['Begun', 'Deliveries made', 'In state', 'Progress', ...(maySend ? [''] : [])],
    rows: replays.map((replay) => [
      second(replay.createdAt),
      html`${second(replay.from)}<br>to ${second(replay.to)}`,
      replay.states.join(', '),
      progress(replay),
      ...(maySend ? [replay.state === 'running' && cancelForm(at, csrf, replay)] : []),
    ]),
  })
}

function progress({ state, queued, total }: Replay): Markup {
  const kind = state === 'done' ? ' good' : ''
  return html`<span class="tag${kind}">${state}</span><br><span class="faint">${queued.toLocaleString('en')} of ${total.toLocaleString('en')} sent again</span>`
}

function cancelForm(at: string, csrf: string, { id, createdAt }: Replay): Markup {
  return form(
    `${at}/replays/${id}/cancel`,
    { csrf },
    html`<button type="submit" class="danger">Cancel<span class="unseen"> the replay of ${second(createdAt)}</span></button>`,
  )
}

export type NewReplayView = {
  at: string
  csrf: string
  webhook: Webhook
  typed: TypedReplay
  /** How many fit; null until it was counted. */
  count: number | null
  faults: ReplayFaults
}

export function replayNotices(faults: ReplayFaults): Markup {
  return html`${faults.page !== undefined && notice('error', faults.page)}
${faultSummary({ from: 'From', to: 'Before', states: 'In state' }, { ...faults })}`
}

const HINTS: Record<(typeof REPLAYABLE_STATES)[number], string> = {
  failed: 'All attempts were used up',
  delivered: 'Your receiver gets them a second time',
  cancelled: 'Sent if the webhook gets them again now',
  held: 'Kept when the webhook was enabled',
}

export function newReplayContent(view: NewReplayView): Markup {
  const { at, webhook, typed, faults } = view
  return html`${webhook.disabledBecause !== null && html`<p class="note alarm">Nothing is sent to this webhook while it is disabled. <a href="${at}/enable">Enable it</a> first.</p>`}
${confirmCard(view)}
${card(
  'range',
  'Which deliveries?',
  html`<p class="faint">They are sent again with the same ids and full retries, little by little, so that what happens now is not held up. Nothing is sent before you have seen how many there are.</p>
<form method="get" action="${at}/replays/new" novalidate>
<div class="side-by-side">
${field({ name: 'from', label: 'Made from (UTC)', type: 'datetime-local', value: typed.from, autocomplete: 'off', error: faults.from })}
${field({ name: 'to', label: 'Before (UTC)', type: 'datetime-local', value: typed.to, autocomplete: 'off', error: faults.to })}
</div>
${checks({
  name: 'states',
  legend: 'In state',
  options: ORDER.map((value) => ({ value, label: html`<strong>${value}</strong>`, hint: HINTS[value] })),
  chosen: new Set(typed.states),
  error: faults.states ?? null,
})}
<div class="actions"><button type="submit"${view.count !== null && html` class="quiet"`}>Count them</button><a class="button quiet" href="${at}/replays">Cancel</a></div>
</form>`,
)}`
}

/** What one usually wants first. */
const ORDER = REPLAYABLE_STATES.toSorted((one, other) => Number(other === 'failed') - Number(one === 'failed'))

function confirmCard({ at, csrf, webhook, typed, count }: NewReplayView): Markup | null {
  if (count === null) return null
  if (count === 0)
    return card(
      'confirm',
      'Nothing fits',
      html`<p>No delivery of this range is in one of these states at this moment.</p>`,
    )
  const many = count === 1 ? '1 delivery fits' : `${count.toLocaleString('en')} deliveries fit`
  const hidden = {
    csrf,
    from: typed.from,
    to: typed.to,
    ...Object.fromEntries(typed.states.map((state) => [`states.${state}`, 'on'])),
  }
  const send: Content =
    webhook.disabledBecause === null &&
    form(
      `${at}/replays`,
      hidden,
      html`<div class="actions">${button(count === 1 ? 'Send it again' : `Send all ${count.toLocaleString('en')} again`)}</div>`,
    )
  return card('confirm', many, html`<p>Each is sent again to this webhook, with the id it had.</p>${send}`)
}
