import { html, type Markup } from '../../ui/html.ts'
import { codeView } from '../markdown/code-view.ts'
import { headingIds } from '../markdown/heading-ids.ts'
import { type Heading, headingsOf } from '../markdown/headings.ts'
import { blocksView } from '../markdown/markdown-view.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'
import { docsTable } from '../markdown/table-view.ts'
import { envelopeOf, fieldsOf, limitsOf, typeOf } from './fields.ts'
import { fieldsView, schemaId, typeView, wordsView } from './fields-view.ts'
import type { Json } from './json.ts'
import { bodyView, firstToShow, operationView, parametersView, problemsView, type Showing } from './operation-view.ts'
import { type ApiOperation, type Group, readReference } from './read-reference.ts'

/** An API from its OpenAPI document. `key` is the variable of the shell that holds what a call is made with. */
export function referenceView(document: object, key: string): { content: Markup; headings: Heading[] } {
  const { description, problems, groups, schemas } = readReference(document)
  const showing: Showing = {
    document: { ...document },
    key,
    shared: problems,
    shownBy: firstToShow(groups.flatMap(({ operations }) => operations)),
  }
  const idOf = headingIds()
  const about = readMarkdown(description).blocks
  const shown = groups.map((group) => ({ ...group, id: `group-${idOf(group.name)}` }))
  return {
    content: html`${blocksView(about, 'reference', 'About this API')}${problems.length > 0 && problemsView('Any operation may answer: ', problems)}${shown.map((group) => groupView(group, showing))}<h2 id="schemas">Schemas</h2>
${schemas.map(({ name, schema }) => envelopeOf(schema) === null && schemaView(name, schema))}`,
    headings: [
      ...headingsOf(about),
      ...shown.flatMap(({ id, name, operations }) => [
        { depth: 2, id, text: name },
        ...operations.map((operation) => ({ depth: 3, id: operation.id, text: operation.summary })),
      ]),
      { depth: 2, id: 'schemas', text: 'Schemas' },
    ],
  }
}

function groupView({ id, name, description, operations, events }: Group & { id: string }, showing: Showing): Markup {
  return html`<h2 id="${id}">${name} <a class="anchor" href="#${id}" aria-label="Link to “${name}”">#</a></h2>
<p>${wordsView(description)}</p>
${operations.map((operation) => operationView(operation, showing))}${events[0] !== undefined && eventsView(name, events, events[0], showing)}`
}

/** What we send differs by its name only, so it is shown once. */
function eventsView(name: string, events: readonly ApiOperation[], first: ApiOperation, showing: Showing): Markup {
  return html`${docsTable({
    caption: name,
    columns: ['Event', 'What happened'],
    rows: events.map(({ path, summary }) => [html`<code>${path}</code>`, summary]),
  })}${parametersView(first.parameters)}${
    first.body !== null &&
    html`<h4>Body</h4>
${bodyView(first.body.schema, showing)}${codeView('json', JSON.stringify(first.body.example, null, 2))}`
  }<h4>What your answer means</h4>
${docsTable({
  caption: `${name}: answers`,
  columns: ['Status', ''],
  rows: first.answers.map(({ status, description }) => [
    status === 'default' ? 'anything else' : html`<code>${status}</code>`,
    wordsView(description),
  ]),
})}`
}

function schemaView(name: string, schema: Json): Markup {
  const fields = fieldsOf(schema)
  const id = schemaId(name)
  const description = typeof schema['description'] === 'string' ? schema['description'] : ''
  return html`<section class="operation" aria-labelledby="${id}">
<h3 id="${id}">${name}</h3>
${
  description !== '' &&
  html`<p>${wordsView(description)}</p>
`
}${
  fields.length > 0
    ? fieldsView(fields)
    : html`<p>${typeView(typeOf(schema))}: ${limitsOf(schema).join('; ')}</p>
`
}</section>
`
}
