import { html, type Markup } from './html.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const SECONDS = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** A day and a time that say their zone: the page does not know the reader's. The script does, and says it in theirs. */
export function moment(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}" data-local>${DAY.format(date)}, ${TIME.format(date)} UTC</time>`
}

export function day(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${DAY.format(date)}</time>`
}

/** To the second, in UTC for everyone: what stands in the log of a receiver is found by it. */
export function second(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${SHORT.format(date)}, <span class="whole">${SECONDS.format(date)} UTC</span></time>`
}

/** The hour alone, such as 08:00. */
export function clockTime(date: Date): Markup {
  return html`<time datetime="${date.toISOString()}">${TIME.format(date)}</time>`
}
