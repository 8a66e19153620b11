import { type Content, html, type Markup } from '../../ui/html.ts'
import { inlineView } from '../markdown/markdown-view.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'
import type { Field, ShownType } from './fields.ts'

/** Fields one below the other, those inside a field set in below it. */
export function fieldsView(fields: readonly Field[]): Markup {
  return html`<ul class="fields-list">
${fields.map(
  (
    field,
  ) => html`<li><p><code>${field.name}</code> ${typeView(field.type)}${field.required && html` <span class="required">required</span>`}</p>
${saidOf(field)}${field.inside.length > 0 && fieldsView(field.inside)}</li>
`,
)}</ul>
`
}

export function typeView({ words, schema }: ShownType): Markup {
  if (schema === null) return html`<span class="type">${words}</span>`
  const [before = '', after = ''] = words.split(schema)
  return html`<span class="type">${before}<a href="#${schemaId(schema)}">${schema}</a>${after}</span>`
}

export function schemaId(name: string): string {
  return `schema-${name}`
}

/** Descriptions are Markdown, of one paragraph. */
export function wordsView(description: string): Content {
  return readMarkdown(description).blocks.map((block) =>
    'inside' in block && block.kind !== 'quote' ? inlineView(block.inside, '') : null,
  )
}

function saidOf({ description, limits }: Field): Content {
  if (description === '' && limits.length === 0) return null
  const keeps = limits.length === 0 ? null : html`<span class="limits">${sentence(limits.join('; '))}</span>`
  return html`<p>${wordsView(description)}${description !== '' && ' '}${keeps}</p>
`
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
