import {
  type Explanation,
  type SignatureFault,
  VERIFYING_STEPS,
  type VerifyingStep,
} from '../../domain/deliveries/explain-signature.ts'
import { faultInWords, fitsInWords, STEP_WORDS } from '../../domain/deliveries/signature-words.ts'
import { card } from '../../ui/card.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { textArea } from '../../ui/text-area.ts'

export type DebuggerView = {
  csrf: string
  /** /portal/teams/…/debugger */
  at: string
  /** The delivery whose headers and body are filled in. */
  delivery: string | null
  headers: string
  body: string
  computed: string
  faults: { headers?: string; body?: string; secret?: string }
  explanation: Explanation | null
}

export function debuggerContent(view: DebuggerView): Markup {
  const { explanation, faults } = view
  return html`<div class="desk-head"><div><h1>Signature debugger</h1>
<p class="lead">A webhook does not verify? Paste what you have, and see which step fails and how to mend it.</p></div></div>
${faultSummary({ headers: 'Headers', body: 'Body', secret: 'Secret' }, faults)}
${explanation !== null && explanationCard(explanation)}
${formCard(view)}`
}

const VERDICTS = {
  valid: { title: 'The signature is valid', tag: html`<span class="tag good">valid</span>` },
  old: { title: 'The signature is valid, but old', tag: html`<span class="tag">old</span>` },
  wrong: { title: 'The signature does not verify', tag: html`<span class="tag bad">not valid</span>` },
} as const

function explanationCard(explanation: Explanation): Markup {
  const { title, tag } = VERDICTS[explanation.verdict]
  const steps = VERIFYING_STEPS.filter((step) => step !== 'computed' || explanation.taken.includes('computed'))
  return html`<div role="status">${card(
    'verdict',
    title,
    html`<ol class="verdict">${steps.map((step) => stepRow(explanation, step))}</ol>`,
    tag,
  )}</div>`
}

function stepRow(explanation: Explanation, step: VerifyingStep): Markup {
  const faults = explanation.faults.filter((fault) => fault.step === step)
  const { title, passed } = STEP_WORDS[step]
  if (!explanation.taken.includes(step))
    return html`<li class="later"><strong>${title}</strong> <span class="tag">not reached</span></li>
`
  if (faults.length > 0)
    return html`<li class="${step === 'age' ? 'doubt' : 'fails'}"><strong>${title}</strong> ${step === 'age' ? html`<span class="tag">look</span>` : html`<span class="tag bad">fails</span>`}${faults.map(faultText)}</li>
`
  return html`<li class="passes"><strong>${title}</strong> <span class="tag good">passes</span>
<p class="faint">${step === 'match' ? fitsInWords(explanation) : passed}</p></li>
`
}

function faultText(fault: SignatureFault): Markup {
  const { says, mend } = faultInWords(fault)
  return html`<p>${says}</p>
<p class="faint">${mend}</p>`
}

/** What is longer goes over the most that a form may send, once it is encoded. */
const LONGEST_IN_A_FORM = 20_000

function formCard(view: DebuggerView): Markup {
  const { csrf, at, delivery, body, computed, faults } = view
  const isTooLong = delivery !== null && body.length > LONGEST_IN_A_FORM
  return card(
    'request',
    'The request that you got',
    html`${
      delivery === null
        ? html`<p class="faint">From the page of a delivery you come here with its headers and body filled in.</p>`
        : html`<p class="note">Headers and body are those of the latest attempt of <code>${delivery}</code>. Only the secret is left to fill in. <a href="${at}">Begin with nothing</a></p>`
    }
${form(at, { csrf, ...(delivery !== null && { delivery }) }, [
  isTooLong
    ? html`<p class="faint">The body has ${body.length} characters, too many to edit here: it is taken as we sent it.</p>`
    : requestFields(view),
  html`<div class="side-by-side">${field({
    name: 'secret',
    label: 'Secret',
    autocomplete: 'off',
    hint: 'It is used for this answer only: not stored, not logged, and not shown again.',
    error: faults.secret,
  })}${field({
    name: 'other_secret',
    label: 'Second secret',
    autocomplete: 'off',
    required: false,
    hint: 'While you rotate.',
  })}</div>`,
  field({
    name: 'computed',
    label: 'Signature that your code computed',
    value: computed,
    autocomplete: 'off',
    required: false,
    hint: 'If you can print it, we can often tell which mistake leads to it.',
  }),
  html`<div class="actions">${button('Explain')}</div>`,
])}`,
  )
}

/** As wide as the page: what stands in them has long lines. */
function requestFields({ headers, body, faults }: DebuggerView): Markup {
  return html`<div>${[
    textArea({
      name: 'headers',
      label: 'Headers',
      value: headers,
      rows: 5,
      hint: 'One on each line, as in a log or in curl -v. Others than webhook-… do no harm.',
      error: faults.headers ?? null,
    }),
    textArea({
      name: 'body',
      label: 'Body',
      value: body,
      rows: 6,
      hint: 'What your code verified, to the letter.',
      error: faults.body ?? null,
    }),
  ]}</div>`
}
