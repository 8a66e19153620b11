import { html, type Markup } from '../../../ui/html.ts'
import { listing } from '../../../ui/raw-text.ts'
import { table } from '../../../ui/table.ts'
import { PARAMETER_WORDS } from './parameter-words.ts'
import type { ClientRequest, Parameter } from './request.ts'
import type { Check, ShownToken, Step } from './step.ts'

/** Longer values are cut: tokens are shown whole where they are explained. */
const LONGEST_SHOWN = 90

const WHO: Record<Step['by'], string> = {
  client: 'The client asked',
  'browser-away': 'The browser was sent away with',
  'browser-back': 'The browser came back with',
}

/** One step that was taken; the latest one is open. `id` is where the browser goes after a step. */
export function stepMarkup(step: Step, number: number, isLatest: boolean): Markup {
  const failed = step.checks.filter(({ passed }) => !passed).length
  return html`<details class="card step"${isLatest && html` id="now" open`}>
<summary><h2>${number}. ${step.title}</h2> ${tagOf(step.checks.length, failed)}</summary>
<p class="lead">${step.lead}</p>
<h3>${WHO[step.by]}</h3>
${requestMarkup(step.request, `request-${number}`)}
${step.answer !== null && answerMarkup(step.answer, number)}
${step.tokens.map((token, position) => tokenMarkup(token, `${number}-${position}`))}
${
  step.checks.length > 0 &&
  html`<h3>Checked</h3>
<ul class="verdict">${step.checks.map(checkMarkup)}</ul>`
}
</details>
`
}

function tagOf(checks: number, failed: number): Markup | false {
  if (checks === 0) return false
  return failed === 0 ? html`<span class="tag good">checked</span>` : html`<span class="tag bad">stop</span>`
}

export function requestMarkup({ method, url, headers, parameters }: ClientRequest, name: string): Markup {
  const rows = [...headers, ...parameters].map((each) => [
    html`<code class="whole">${each.name}</code>`,
    html`<code>${shownValue(each)}</code>`,
    PARAMETER_WORDS[each.name] ?? '',
  ])
  return html`<p class="request-line"><strong>${method}</strong> <code>${url}</code></p>
${rows.length > 0 && table({ caption: `Parameters of ${name}`, columns: ['Parameter', 'Value', 'Meaning'], rows })}`
}

function shownValue({ value, shown }: Parameter): string {
  return shown ?? cut(value)
}

function cut(value: string): string {
  return value.length <= LONGEST_SHOWN ? value : `${value.slice(0, LONGEST_SHOWN)}…`
}

function answerMarkup({ status, text }: { status: number; text: string }, number: number): Markup {
  return html`<h3>The answer <span class="tag${status === 200 ? ' good' : ' bad'}">${status}</span></h3>
${listing(laidOut(text), `Answer ${number}`)}`
}

/** JSON line by line, with long values cut. Anything else as it is. */
function laidOut(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? cut(each) : each), 2)
  } catch {
    return text.slice(0, 4_000)
  }
}

function tokenMarkup({ name, lead, whole, header, claims }: ShownToken, id: string): Markup {
  return html`<h3>${name}</h3>
<p class="faint">${lead}</p>
${
  header !== null &&
  claims !== null &&
  html`<div class="claims"><div><p class="faint">Header</p>
${listing(JSON.stringify(header, null, 2), `Header of the ${name} ${id}`)}</div>
<div><p class="faint">Claims</p>
${listing(JSON.stringify(claims, null, 2), `Claims of the ${name} ${id}`)}</div></div>`
}
<details><summary>The whole ${name.toLowerCase().replace('id', 'ID')}</summary>
<pre class="listing" data-copy="${name}"><code>${whole}</code></pre></details>`
}

function checkMarkup({ name, passed, says }: Check): Markup {
  return html`<li class="${passed ? 'passes' : 'fails'}"><strong><span aria-hidden="true">${passed ? '✓' : '✗'}</span> ${name}</strong> ${passed ? html`<span class="tag good">passes</span>` : html`<span class="tag bad">fails</span>`}
<p class="faint">${says}</p></li>
`
}
