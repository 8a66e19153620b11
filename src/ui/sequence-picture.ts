import { html, type Markup } from './html.ts'
import type { SequenceDiagram, SequenceStep } from './sequence-diagram.ts'
import { wrapText } from './wrapped-text.ts'

/** Three fit into the text's column; more make the picture wider. */
const [NARROWEST, WIDEST, ROOM] = [160, 230, 630]
const EDGE = 12
const LINE = 18
const BOX_PAD = 10
const ARROW_GAP = 14
/** Wider than most letters of any system's font at 14 px: better too early a break than a text over another. */
const LETTER = 7.4
const SELF_REACH = 34

/** Where the participants stand. */
type Columns = { width: number; middle: (position: number) => number }

type Drawn = { markup: Markup; height: number }

/**
 * A sequence diagram as SVG: no script, no style attribute, the colours by class. It keeps its size, so that its letters can be
 * read, and what is wider than the screen is scrolled; the same steps stand below it as a list for whoever prefers words.
 */
export function sequencePicture(id: string, title: string, diagram: SequenceDiagram): Markup {
  const { participants, steps } = diagram
  const columns = columnsFor(participants.length)
  const { middle } = columns
  const width = participants.length * columns.width + 2 * EDGE
  const heads = headsOf(diagram, columns)
  let y = heads.height + ARROW_GAP
  const drawn: Markup[] = []
  for (const step of steps) {
    const { markup, height } =
      step.kind === 'note' ? drawnNote(step, y, columns) : drawnMessage(step, y, columns, participants.length)
    drawn.push(markup)
    y += height
  }
  return html`<figure class="picture">
<div class="picture-scroll" tabindex="0" role="group" aria-labelledby="${id}-title">
<svg role="img" aria-labelledby="${id}-title ${id}-desc" width="${width}" height="${y + EDGE}" viewBox="0 0 ${width} ${y + EDGE}">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${steps.length} steps between ${participants.map(({ name }) => name).join(', ')}; the list below has the same.</desc>
<defs><marker id="${id}-tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 10 5 0 10z"/></marker></defs>
${participants.map((_, position) => html`<line class="life" x1="${middle(position)}" x2="${middle(position)}" y1="${heads.height}" y2="${y}"/>`)}
${heads.markup}
${drawn.map(
  (each) => html`<g marker-end="url(#${id}-tip)">${each}</g>
`,
)}</svg>
</div>
<details><summary>The same in words</summary>
<ol>
${steps.map(
  (step) => html`<li>${inWords(step, diagram)}</li>
`,
)}</ol>
</details>
</figure>
`
}

function columnsFor(count: number): Columns {
  const width = Math.max(NARROWEST, Math.min(WIDEST, Math.floor(ROOM / count)))
  return { width, middle: (position) => EDGE + position * width + width / 2 }
}

function headsOf({ participants }: SequenceDiagram, { width, middle }: Columns): Drawn {
  const inside = width - 24
  const lines = participants.map(({ name }) => wrapText(name, lettersIn(inside - 2 * BOX_PAD)))
  const height = Math.max(...lines.map(({ length }) => length)) * LINE + 2 * BOX_PAD
  const markup = html`${lines.map(
    (
      each,
      position,
    ) => html`<rect class="who" x="${middle(position) - inside / 2}" y="1" width="${inside}" height="${height}" rx="6"/>
${texts(each, middle(position), 1 + (height - each.length * LINE) / 2, 'name')}`,
  )}`
  return { markup, height: height + 2 }
}

/** The text stands above its arrow and between its ends; what somebody says to themselves, beside it. */
function drawnMessage(
  { from, to, reply, text }: Extract<SequenceStep, { kind: 'message' }>,
  y: number,
  columns: Columns,
  count: number,
): Drawn {
  const { width, middle } = columns
  const kind = reply ? 'arrow reply' : 'arrow'
  if (from === to) return drawnOwn({ from, kind, text }, y, columns, count)
  const lines = wrapText(text, lettersIn(Math.abs(to - from) * width - 24))
  const at = y + lines.length * LINE + 4
  const inward = to > from ? -2 : 2
  return {
    markup: html`${texts(lines, (middle(from) + middle(to)) / 2, y, 'said')}
<path class="${kind}" d="M${middle(from)} ${at}H${middle(to) + inward}"/>`,
    height: lines.length * LINE + 4 + ARROW_GAP,
  }
}

function drawnOwn(
  { from, kind, text }: { from: number; kind: string; text: string },
  y: number,
  { width, middle }: Columns,
  count: number,
): Drawn {
  const isLast = from === count - 1
  const side = isLast ? -1 : 1
  const room = count === 1 ? width / 2 + EDGE : width
  const lines = wrapText(text, lettersIn(room - SELF_REACH - 20))
  const x = middle(from)
  const height = Math.max(lines.length * LINE, 2 * LINE)
  return {
    markup: html`${texts(lines, x + side * (SELF_REACH + 8), y, `said ${isLast ? 'before' : 'behind'}`)}
<path class="${kind}" d="M${x} ${y + 6}H${x + side * SELF_REACH}V${y + height - 8}H${x + side * 2}"/>`,
    height: height + ARROW_GAP,
  }
}

function drawnNote({ first, last, text }: Extract<SequenceStep, { kind: 'note' }>, y: number, columns: Columns): Drawn {
  const { middle } = columns
  const width = (last - first + 1) * columns.width - 24
  const x = (middle(first) + middle(last)) / 2
  const lines = wrapText(text, lettersIn(width - 2 * BOX_PAD))
  const height = lines.length * LINE + 2 * BOX_PAD
  return {
    markup: html`<rect class="noted" x="${x - width / 2}" y="${y}" width="${width}" height="${height}" rx="4"/>
${texts(lines, x, y + BOX_PAD, 'said')}`,
    height: height + ARROW_GAP,
  }
}

function texts(lines: readonly string[], x: number, top: number, kind: string): Markup {
  return html`<text class="${kind}" x="${x}" y="${top - 4}">${lines.map((line) => html`<tspan x="${x}" dy="${LINE}">${line}</tspan>`)}</text>`
}

function lettersIn(width: number): number {
  return Math.floor(width / LETTER)
}

function inWords(step: SequenceStep, { participants }: SequenceDiagram): Markup {
  const name = (position: number) => participants[position]?.name ?? ''
  if (step.kind === 'note') return html`${step.text}`
  return step.from === step.to
    ? html`<b>${name(step.from)}</b>: ${step.text}`
    : html`<b>${name(step.from)}</b> to <b>${name(step.to)}</b>: ${step.text}`
}
