import { type Content, html, type Markup } from '../../ui/html.ts'
import { codeView } from '../markdown/code-view.ts'
import { blocksView } from '../markdown/markdown-view.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'
import { curlSample } from './curl.ts'
import { envelopeOf, fieldsOf, limitsOf, typeOf } from './fields.ts'
import { fieldsView, typeView, wordsView } from './fields-view.ts'
import { followed, type Json } from './json.ts'
import type { ApiOperation, ApiParameter, Problem } from './read-reference.ts'

/** What all operations of an API are shown with. */
export type Showing = {
  document: Json
  key: string
  shared: readonly Problem[]
  /** Which operation shows an example; the others that answer the same refer to it. */
  shownBy: ReadonlyMap<string, ApiOperation>
}

export function firstToShow(operations: readonly ApiOperation[]): Map<string, ApiOperation> {
  const shownBy = new Map<string, ApiOperation>()
  for (const operation of operations)
    for (const { example } of operation.answers) {
      const text = JSON.stringify(example)
      if (text !== undefined && !shownBy.has(text)) shownBy.set(text, operation)
    }
  return shownBy
}

export function operationView(operation: ApiOperation, showing: Showing): Markup {
  const { id, method, path, summary, description, scopes, body } = operation
  return html`<section class="operation" aria-labelledby="${id}">
<h3 id="${id}">${summary} <a class="anchor" href="#${id}" aria-label="Link to “${summary}”">#</a></h3>
<p class="call"><span class="method">${method}</span> <code>${path}</code></p>
${blocksView(readMarkdown(description).blocks, 'reference', summary)}${
  scopes.length > 0 &&
  html`<p>Needs the scope ${scopes.map((scope) => html`<code>${scope}</code>`)}.</p>
`
}${parametersView(operation.parameters)}${
  body !== null &&
  html`<h4>Body${!body.required && ' (may be left out)'}</h4>
${bodyView(body.schema, showing)}`
}${codeView('sh', curlSample(operation, showing.key))}${answersView(operation, showing)}</section>
`
}

export function parametersView(parameters: readonly ApiParameter[]): Content {
  if (parameters.length === 0) return null
  return html`<h4>Parameters</h4>
${fieldsView(
  parameters.map(({ name, place, required, description, schema }) => ({
    name,
    type: { ...typeOf(schema), words: `${typeOf(schema).words}, in the ${place}` },
    required,
    description,
    limits: limitsOf(schema),
    inside: [],
  })),
)}`
}

/** The fields of the body itself, not a name for them: they are what one came for. */
export function bodyView(schema: Json, { document }: Showing): Markup {
  const whole = followed(document, schema)
  const isList = whole['type'] === 'array'
  const fields = fieldsOf(isList ? followed(document, whole['items']) : followed(document, firstOf(whole)))
  return html`${
    isList &&
    html`<p>${typeView(typeOf(whole))}. ${limitsOf(whole).join('; ')}</p>
`
  }${fields.length > 0 && fieldsView(fields)}`
}

function firstOf(schema: Json): Json {
  const [first] = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  return first ?? schema
}

function answersView(operation: ApiOperation, showing: Showing): Markup {
  const { answers, problems } = operation
  const { document, shared } = showing
  const own = problems.filter(({ code }) => !shared.some((each) => each.code === code))
  return html`<h4>Answers</h4>
${answers.map(
  ({
    status,
    description,
    schema,
    example,
  }) => html`<p><span class="status">${status}</span> ${wordsView(description)} ${schema !== null && answerType(schema, document)}</p>
${exampleView(example, operation, showing)}`,
)}${own.length > 0 && problemsView('Problems of its own: ', own)}`
}

function exampleView(example: unknown, operation: ApiOperation, { shownBy }: Showing): Content {
  const shown = shownBy.get(JSON.stringify(example))
  if (shown === undefined) return null
  if (shown !== operation)
    return html`<p>Example: as of <a href="#${shown.id}">${shown.summary}</a>.</p>
`
  return html`<details class="example"><summary>Example</summary>
${codeView('json', JSON.stringify(example, null, 2))}</details>
`
}

/** What is only an envelope is shown with what is in it. */
function answerType(schema: Json, document: Json): Markup {
  const inside = envelopeOf(followed(document, schema))
  if (inside === null) return typeView(typeOf(schema))
  return html`<span class="type">Its <code>data</code>:</span> ${typeView(typeOf(inside))}`
}

/** By status, each code with the place where it is explained. */
export function problemsView(words: string, problems: readonly Problem[]): Markup {
  return html`<p class="problems">${words}${problems.map(
    ({ status, code }, position) =>
      html`${position > 0 && ', '}${status !== problems[position - 1]?.status && html`<span class="status">${status}</span> `}<a href="/docs/errors#${code}">${code}</a>`,
  )}.</p>
`
}
