import { type Content, html, type Markup } from './html.ts'

export type Figure = readonly [name: string, value: Content, detail: Content]

/** A few numbers to take in at a glance, each with what it is about. */
export function figureList(figures: readonly Figure[]): Markup {
  return html`<dl class="figures">${figures.map(([name, value, detail]) => html`<div><dt>${name}</dt><dd><strong>${value}</strong><br><span class="faint">${detail}</span></dd></div>`)}</dl>`
}
