import { type Content, html, type Markup } from './html.ts'
import { table } from './table.ts'

export type Bar = {
  /** Short, below the chart, where there is room for it. */
  label: Content
  good: number
  bad: number
  /** What the table says of it. */
  row: readonly Content[]
}

export type BarChart = {
  id: string
  title: string
  /** In a sentence, for whoever does not see it. */
  description: string
  words: { good: string; bad: string }
  bars: readonly Bar[]
  columns: readonly string[]
}

const HEIGHT = 100
const STEP = 10
const WIDTH = 8
/** One of many is still there to be seen. */
const LEAST = 2

/**
 * Bars of two parts, drawn here: no script, no style attribute, and the same figures as a table for whoever prefers one. The
 * drawing has no text in it, because it is stretched to the width of the page.
 */
export function barChart({ id, title, description, words, bars, columns }: BarChart): Markup {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad))
  return html`<figure class="chart" aria-labelledby="${id}-title">
<figcaption><span id="${id}-title">${title}</span>
<span class="legend"><span class="key good"></span> ${words.good} <span class="key bad"></span> ${words.bad}</span></figcaption>
<div class="chart-body"><span class="chart-most" aria-hidden="true">${most}</span>
<svg class="bars" role="img" aria-labelledby="${id}-name ${id}-desc" viewBox="0 0 ${bars.length * STEP} ${HEIGHT}" preserveAspectRatio="none">
<title id="${id}-name">${title}</title><desc id="${id}-desc">${description}</desc>
${bars.map((bar, position) => drawn(bar, position * STEP + (STEP - WIDTH) / 2, most))}</svg></div>
<div class="chart-axis" aria-hidden="true">${edges(bars).map((label) => html`<span>${label}</span>`)}</div>
<details><summary>The same as a table</summary>
${table({ caption: title, columns, rows: bars.map(({ row }) => row) })}
</details>
</figure>`
}

function drawn({ good, bad }: Bar, x: number, most: number): Markup {
  const goodHeight = heightOf(good, most)
  const badHeight = heightOf(bad, most)
  return html`${
    goodHeight > 0 &&
    html`<rect class="good" x="${x}" y="${HEIGHT - goodHeight}" width="${WIDTH}" height="${goodHeight}"/>
`
  }${
    badHeight > 0 &&
    html`<rect class="bad" x="${x}" y="${Math.max(0, HEIGHT - goodHeight - badHeight)}" width="${WIDTH}" height="${badHeight}"/>
`
  }`
}

function heightOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(LEAST, Math.round((count / most) * HEIGHT * 10) / 10)
}

function edges(bars: readonly Bar[]): Content[] {
  return [bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)].flatMap((bar) =>
    bar === undefined ? [] : bar.label,
  )
}
