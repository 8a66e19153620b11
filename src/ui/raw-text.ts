import { type Content, html, type Markup } from './html.ts'

/** What turns the direction of a text, hides in it or rings a bell; line breaks and tabs are only text. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- they are what we look for
  /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff])/

/**
 * Text that strangers wrote, as it is: what cannot be seen is written out, so that nothing looks like something else. The
 * escaping is `html`'s.
 */
export function rawText(text: string): Markup {
  const parts = text.split(UNSEEN).map((part, position): Content => (position % 2 === 0 ? part : named(part)))
  return html`${parts}`
}

/** An address, which a narrow column breaks between its parts and not within a word. */
export function rawUrl(url: string): Markup {
  const [first = '', ...parts] = url.split(/(?<=[^/:][/?&])(?=[^/?&])/)
  return html`${rawText(first)}${parts.map((part) => html`<wbr>${rawText(part)}`)}`
}

function named(character: string): Markup {
  return html`<span class="mark">U+${codeOf(character)}</span>`
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}

/** The same where only text can stand, such as an option of a list. */
export function plainText(text: string): string {
  return text
    .split(UNSEEN)
    .map((part, position) => (position % 2 === 0 ? part : `[U+${codeOf(part)}]`))
    .join('')
}

/** The same in a block of its own, as it came, line by line. */
export function listing(text: string, name: string): Markup {
  return html`<pre class="listing" tabindex="0" role="region" aria-label="${name}">${rawText(text)}</pre>`
}
