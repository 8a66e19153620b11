import { html, type Markup } from './html.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** A day and a time that say their zone: the page does not know the reader's. */
export function moment(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${DAY.format(date)}, ${TIME.format(date)} UTC</time>`
}

export function day(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${DAY.format(date)}</time>`
}
