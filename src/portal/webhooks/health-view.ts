import {
  HEALTH_HOURS,
  type Health,
  MOST_OF_AN_HOUR,
  MOST_WAITING,
} from '../../domain/deliveries/webhook-health-store.ts'
import type { Standing } from '../../domain/deliveries/webhook-standing-store.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { card } from '../../ui/card.ts'
import { barChart } from '../../ui/chart.ts'
import { figureList } from '../../ui/figures.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { clockTime, moment, second } from '../../ui/moment.ts'
import { percent } from './webhook-words.ts'

export type HealthView = { webhook: Webhook; health: Health; standing: Standing | undefined }

type Figure = [name: string, value: Content, detail: Content]

export function healthCard({ webhook, health, standing }: HealthView): Markup {
  const good = sum(health.hours.map(({ succeeded }) => succeeded))
  const bad = sum(health.hours.map(({ failed }) => failed))
  const isPartial = health.hours.some(({ more }) => more)
  const { latency } = health
  const figures: Figure[] = [
    [
      'Success',
      good + bad === 0 ? '–' : percent(good, good + bad),
      good + bad === 0 ? 'no attempts' : `${count(good, false)} of ${count(good + bad, isPartial)} attempts`,
    ],
    [
      'Answer time',
      latency === null ? '–' : html`${milliseconds(latency.p50)}`,
      latency === null ? 'no answers' : html`half of them; 99 of 100 within ${milliseconds(latency.p99)}`,
    ],
    ...(webhook.listener === null ? sendingFigures({ webhook, health, standing }) : listenerFigures(webhook, health)),
  ]
  return card(
    'health',
    html`The last ${HEALTH_HOURS} hours`,
    html`${figureList(figures)}
${good + bad > 0 && attemptsChart(health, good, bad)}
${isPartial && html`<p class="hint">Of an hour with many, the first ${MOST_OF_AN_HOUR.toLocaleString('en')} deliveries are counted.</p>`}`,
  )
}

function sendingFigures({ webhook, health, standing }: HealthView): Figure[] {
  const { waiting } = health
  const disabled = webhook.disabledBecause !== null
  const held = disabled ? waiting.pending + waiting.held : waiting.held
  return [
    ['Circuit', circuitWord(standing), disabled ? 'nothing is sent' : circuitDetail(standing)],
    ['Held', atMost(held), held === 0 ? 'nothing is kept back' : 'kept for 30 days'],
    ['Waiting', disabled ? '0' : atMost(waiting.pending), nextDetail(disabled, health, standing)],
  ]
}

/** Nothing is sent, so there is no circuit and no next attempt (decision record 82). */
function listenerFigures({ disabledBecause }: Webhook, { waiting }: Health): Figure[] {
  const all = waiting.pending + waiting.held
  const until = disabledBecause === null ? 'until handover listen fetches it' : 'not while it is disabled'
  return [['Waiting', atMost(all), all === 0 ? 'everything was fetched' : until]]
}

function attemptsChart({ hours }: Health, good: number, bad: number): Markup {
  return barChart({
    id: 'attempts',
    title: 'Attempts by the hour of their event (UTC)',
    description: `In ${HEALTH_HOURS} hours ${good} attempts succeeded and ${bad} failed. The table below has each hour.`,
    words: { good: 'succeeded', bad: 'failed' },
    columns: ['Hour from', 'Succeeded', 'Failed'],
    bars: hours.map(({ from, succeeded, failed, more }) => ({
      label: clockTime(from),
      good: succeeded,
      bad: failed,
      row: [moment(from), count(succeeded, more), count(failed, more)],
    })),
  })
}

function circuitWord(standing: Standing | undefined): string {
  return standing?.circuit.open === true ? 'open' : 'closed'
}

function circuitDetail(standing: Standing | undefined): Content {
  if (standing === undefined || !standing.circuit.open) return 'everything is let through'
  const { probeAt } = standing.circuit
  return probeAt === null ? 'one is let through from time to time' : html`next probe ${second(probeAt)}`
}

function nextDetail(disabled: boolean, { nextDueAt }: Health, standing: Standing | undefined): Content {
  if (disabled) return 'not while it is disabled'
  if (nextDueAt === null) return 'nothing to send'
  const probeAt = standing?.circuit.open === true ? standing.circuit.probeAt : null
  const moments = [nextDueAt, standing?.notBefore ?? null, probeAt].filter((each) => each !== null)
  const next = new Date(Math.max(...moments.map((each) => each.getTime())))
  return html`next attempt ${second(next)}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}

function count(number: number, more: boolean): string {
  return number.toLocaleString('en') + (more ? '+' : '')
}

function atMost(number: number): string {
  return number > MOST_WAITING ? `${MOST_WAITING.toLocaleString('en')}+` : number.toLocaleString('en')
}

function milliseconds(number: number): string {
  return number < 1_000 ? `${Math.round(number)} ms` : `${(number / 1_000).toFixed(1)} s`
}
