/** Text that is already markup. Only the `html` template makes it, so everything else is escaped on its way into a page. */
export class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

export type Content = Markup | string | number | null | false | readonly Content[]

/** A tagged template: what stands in the template is markup, what is filled in is text unless it is `Markup` itself. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Markup {
  let text = parts[0] ?? ''
  for (const [position, value] of values.entries()) text += toMarkup(value) + (parts[position + 1] ?? '')
  return new Markup(text)
}

function toMarkup(value: Content): string {
  if (value === null || value === false) return ''
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map(toMarkup).join('')
  const text = String(value)
  // Most texts are plain, and to find that out is quicker than to replace nothing.
  return SPECIAL.test(text) ? text.replaceAll(SPECIALS, (character) => ENTITIES[character] ?? '') : text
}

const SPECIAL = /[&<>"']/
const SPECIALS = /[&<>"']/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
